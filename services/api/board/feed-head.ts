/** What the head of a page says of feed health: docs/guides/feed-health.md. */
import { feedWords, sourceName } from '#story/feed-words.ts';
import type { BoardMatch } from '#story/match.ts';
import { reasonWords } from '#story/words.ts';
import type { SourceFeedStatus } from '#trading/feed-status.ts';

/** The health of a source. */
export type BoardSource = BoardMatch['feed'] & Pick<SourceFeedStatus, 'source'>;

/** Which sources the head of a page says are believed, with its words: the data of a `feeds` event of `/board/events`. */
export type FeedsHead = { readonly believed: 'all' | 'some' | 'none'; readonly words: string };

/** Returns what the head of a connected page says: a page is up to date only while each source is believed. */
export function feedsHead(sources: readonly BoardSource[]): FeedsHead {
  if (sources.length === 0) return { believed: 'none', words: 'Feeds: health unknown' };
  const doubted = sources.filter(({ believed, reason }) => !believed || reason !== null);
  if (doubted.length === 0) return { believed: 'all', words: 'Up to date' };
  return {
    believed: sources.some(({ believed }) => believed) ? 'some' : 'none',
    words: doubted.map((source) => `${sourceName(source.source)} ${troubleWords(source)}`).join(', '),
  };
}

/** Returns why a source is named in the head. A believed one has a reason while its last read failed. */
function troubleWords({ believed, state, reason, delay }: BoardSource): string {
  if (believed && reason !== null) return reasonWords(reason);
  return feedWords({ state, reason: state === 'delayed' ? reason : null, delay });
}
