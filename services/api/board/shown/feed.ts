/** What the board shows of feed health: docs/guides/feed-health.md. */
import type { FeedStatus, SourceFeedStatus } from '#tradability/feed-status.ts';
import { type Html, html } from './html.ts';
import type { Word } from './last-word.ts';
import type { BoardMatch } from './match.ts';

/** Whether a source may be believed, and if not, why: the data of a `feeds` event of `/board/events` is a list of these. */
export type BoardSource = BoardMatch['feed'] & Pick<SourceFeedStatus, 'source'>;

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

const REASONS: Readonly<Record<string, string>> = {
  silence: 'nothing received',
  backlog: 'our own delay',
  credentials: 'credentials refused',
  contract: 'outside the contract',
  network: 'provider unreachable',
  ingress: 'ingress service silent',
};

const NAMES: Readonly<Record<string, string>> = { webhook: 'Webhooks', feed: 'REST feed' };

/** Why a feed is not alive, e.g. `provider unreachable`. */
export function reasonWords(reason: string): string {
  return REASONS[reason] ?? reason;
}

/** A source in words a desk uses. */
export function sourceName(source: string): string {
  return NAMES[source] ?? source;
}

/** E.g. `down (provider unreachable)`. */
export function feedWords({ state, reason }: BoardMatch['feed']): string {
  return reason === null ? STATES[state] : `${STATES[state]} (${reasonWords(reason)})`;
}

const LINK = html`<a href="/feeds">Feeds</a>`;

/** Every source with its state, as far as the server's word counts. */
export function feedsHtml(sources: readonly BoardSource[], word: Word): Html {
  if (word === 'lost') return html`${LINK} <span class="mark halted">no word from the server</span>`;
  if (word === 'awaited') return html`${LINK} <span class="mark">await the next update</span>`;
  if (sources.length === 0) return html`${LINK} <span class="mark halted">health unknown</span>`;
  return html`${LINK} ${sources.map(
    (source) =>
      html`<span class="mark ${source.believed ? 'safe' : 'halted'}" data-key="feed-${source.source}">${sourceName(source.source)} ${feedWords(source)}</span> `,
  )}`;
}
