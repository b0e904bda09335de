/** Words for the health of a feed: docs/guides/feed-health.md. */
import type { FeedStatus } from '#tradability/feed-status.ts';
import { reasonWords } from './words.ts';

const STATES: Readonly<Record<FeedStatus['state'], string>> = {
  alive: 'alive',
  recovered: 'recovered',
  stale: 'stale',
  down: 'down',
  recovering: 'recovering',
  ended: 'ended',
  expired: 'health unknown',
  unknown: 'health unknown',
};

const NAMES: Readonly<Record<string, string>> = { webhook: 'Webhooks', feed: 'REST feed' };

/** Returns the name of a source for people. */
export function sourceName(source: string): string {
  return NAMES[source] ?? source;
}

/** Returns state and reason, e.g. `down (provider unreachable)`. What was wrong before a source recovers is over. */
export function feedWords({ state, reason }: Pick<FeedStatus, 'state' | 'reason'>): string {
  if (reason === null) return STATES[state];
  return `${STATES[state]} (${state === 'recovering' ? 'after: ' : ''}${reasonWords(reason)})`;
}
