/** Words for the health of a feed: docs/guides/feed-health.md. */
import type { FeedStatus } from '#trading/feed-status.ts';
import { durationWords } from './minute.ts';
import { reasonWords } from './words.ts';

const stateWords = (state: FeedStatus['state']): string =>
  state === 'expired' || state === 'unknown' ? 'health unknown' : state;

const NAMES: Readonly<Record<string, string>> = { webhook: 'Webhooks', feed: 'REST feed' };

/** Returns the name of a source for people. */
export function sourceName(source: string): string {
  return NAMES[source] ?? source;
}

/** The status of a feed as shown: its delay only where that is why it is not believed, as each message has another one. */
export function shownFeed(feed: FeedStatus): Pick<FeedStatus, 'believed' | 'state' | 'reason' | 'delay'> {
  const { believed, state, reason, delay } = feed;
  return { believed, state, reason, delay: state === 'delayed' ? delay : null };
}

/** Returns state and reason, e.g. `down (provider unreachable)`; what was wrong before a source recovers is over. */
export function feedWords({ state, reason, delay }: Pick<FeedStatus, 'state' | 'reason' | 'delay'>): string {
  if (reason === null) return stateWords(state);
  if (state === 'delayed' && delay !== null) {
    const by = durationWords(Math.round(Math.abs(delay) / 1_000));
    return delay > 0 ? `delayed by ${by}` : `delayed (its clock is ${by} ahead)`;
  }
  return `${stateWords(state)} (${state === 'recovering' ? 'after: ' : ''}${reasonWords(reason)})`;
}
