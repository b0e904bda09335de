/** Words for the health of a feed: docs/guides/feed-health.md. */
import type { FeedStatus } from '#trading/feed-status.ts';
import { durationWords } from './minute.ts';
import { reasonWords } from './words.ts';

const STATES: Readonly<Record<FeedStatus['state'], string>> = {
  alive: 'alive',
  recovered: 'recovered',
  stale: 'stale',
  delayed: 'delayed',
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

/** The status of a feed as shown: its delay only where that is why it is not believed, as each message has another one. */
export function shownFeed({
  believed,
  state,
  reason,
  delay,
}: FeedStatus): Pick<FeedStatus, 'believed' | 'state' | 'reason' | 'delay'> {
  return { believed, state, reason, delay: state === 'delayed' ? delay : null };
}

/** Returns state and reason, e.g. `down (provider unreachable)`; what was wrong before a source recovers is over. */
export function feedWords({ state, reason, delay }: Pick<FeedStatus, 'state' | 'reason' | 'delay'>): string {
  if (reason === null) return STATES[state];
  if (state === 'delayed' && delay !== null) {
    const by = durationWords(Math.round(Math.abs(delay) / 1_000));
    return delay > 0 ? `delayed by ${by}` : `delayed (its clock is ${by} ahead)`;
  }
  return `${STATES[state]} (${state === 'recovering' ? 'after: ' : ''}${reasonWords(reason)})`;
}
