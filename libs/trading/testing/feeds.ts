/** Statuses of the feed of a match, for tests. */
import type { FeedStatus } from '../feed-status.ts';

export const ALIVE: FeedStatus = {
  believed: true,
  state: 'alive',
  reason: null,
  since: null,
  delay: null,
  source: 'webhook',
};
export const SILENT: FeedStatus = { ...ALIVE, believed: false, state: 'stale', reason: 'silence' };
