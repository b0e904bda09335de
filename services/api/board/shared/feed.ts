/** Renders feed health: docs/guides/feed-health.md. */
import { feedWords, sourceName } from '#story/feed-words.ts';
import type { BoardMatch } from '#story/match.ts';
import { reasonWords } from '#story/words.ts';
import type { SourceFeedStatus } from '#tradability/feed-status.ts';
import type { ConnectionState } from './heartbeat.ts';
import { type Html, html } from './html.ts';

/** The health of a source. The data of a `feeds` event of `/board/events` is a list of these. */
export type BoardSource = BoardMatch['feed'] & Pick<SourceFeedStatus, 'source'>;

/** Which sources the head of a page says are believed, with its words. `awaited`: not received yet. */
type FeedsHead = { readonly believed: 'all' | 'some' | 'none' | 'awaited'; readonly words: string };

/** Returns what the head of a connected page says: a page is up to date only while each source is believed. */
export function feedsHead(sources: readonly BoardSource[] | undefined): FeedsHead {
  if (sources === undefined) return { believed: 'awaited', words: 'Connected' };
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

const LINK = html`<a href="/feeds">Feeds</a>`;

function markOf({ believed, reason }: BoardSource): string {
  if (!believed) return 'halted';
  return reason === null ? 'safe' : 'review';
}

/** Renders all sources with their states; without a fresh connection none of them. */
export function feedsHtml(sources: readonly BoardSource[], connection: ConnectionState): Html {
  if (connection === 'lost') return html`${LINK} <span class="mark halted">no word from the server</span>`;
  if (connection === 'awaited') return html`${LINK} <span class="mark">waiting for the next update</span>`;
  if (sources.length === 0) return html`${LINK} <span class="mark halted">health unknown</span>`;
  return html`${LINK} ${sources.map(
    (source) =>
      html`<span class="mark ${markOf(source)}" data-key="feed-${source.source}">${sourceName(source.source)} ${feedWords(source)}</span> `,
  )}`;
}
