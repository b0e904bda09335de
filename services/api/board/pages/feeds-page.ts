import type { HealthGap } from '#records/types.ts';
import { boardMatch } from '#story/board-match.ts';
import { feedWords, sourceName } from '#story/feed-words.ts';
import { matchName } from '#story/match.ts';
import { agoWords, delayWords, durationWords } from '#story/minute.ts';
import { reasonWords } from '#story/words.ts';
import type { ReadView } from '../scoped-view.ts';
import {
  document,
  factsHtml,
  type Html,
  html,
  type Moment,
  NO_WORD,
  timeOf,
  whileConnected,
} from './html.ts';

const ACTIONS: Readonly<Record<string, string>> = {
  open: 'Not over yet.',
  none: 'Messages from this time may be missing.',
  caught_up: 'All messages from this time were read later. Nothing is missing.',
  snapshot: 'The complete list of incidents was read afterwards. Nothing is missing.',
  skipped: 'The provider no longer has the messages from this time. Some may be missing.',
};

/** Interval at which the page is read again, seconds: the ages of feeds grow without an event. */
const REFRESH_SECONDS = 2;

const MAX_GAPS = 20;

/** Renders the feeds at `/feeds`: state, delay and interruptions of each. `served`: the competitions that are served, in words; null: all. */
export function feedsPage({ sources, live, doubted }: Feeds, served: string | null, moment: Moment): string {
  const content = html`<h1>Feeds</h1>
<p class="lead">${live === 0 ? 'No match is live.' : `${live} live ${live === 1 ? 'match' : 'matches'}, of which ${doubted.length === 0 ? 'none is' : `${doubted.length} ${doubted.length === 1 ? 'is' : 'are'}`} without a feed to rely on.`}</p>
${served !== null && html`<p>This server serves ${served}.</p>`}
${sources.length === 0 && html`<p class="empty">The state of the feeds is unknown: no feed monitor has reported. No match is safe.</p>`}
<div class="sources">${sources.map((source) => sourceHtml(source, moment))}</div>
${doubted.length > 0 && html`<section aria-labelledby="doubted-title"><h2 id="doubted-title">Live matches without a feed to rely on</h2><ul class="doubted">${doubted.map((match) => html`<li><a href="/match/${match.event_id}">${matchName(match)}</a>: ${feedWords(match.feed)}</li>`)}</ul></section>`}`;
  return document({
    title: 'Feeds',
    here: 'feeds',
    stream: 'feeds=yes',
    refresh: REFRESH_SECONDS,
    styles: ['feeds.css'],
    content,
  });
}

function sourceHtml({ belief, record }: Feeds['sources'][number], moment: Moment): Html {
  const { now } = moment;
  const { source, gaps, gap_count, heard_at, delay, written_at, progress } = record;
  const { since } = belief;
  const rows = [
    ['State', whileConnected(moment, feedWords(belief), NO_WORD)],
    ['Since', since === null ? 'unknown' : html`${timeOf(since / 1000, now)} <span class="zone">UTC</span>`],
    ['Newest message', heard_at === null ? 'none yet' : agoWords(heard_at, now)],
    ['It came after', delay === null ? null : delayWords(delay)],
    ['Last checked', agoWords(written_at, now)],
    ['Behind by', progress && durationWords(Math.max(0, progress.to - progress.position))],
    ['Interruptions', String(gap_count)],
  ] as const;
  return html`<section class="source panel" data-guard="${belief.believed ? 'safe' : 'halted'}" id="source-${source}" aria-labelledby="title-${source}">
<h2 id="title-${source}"><span class="icon" aria-hidden="true"></span>${sourceName(source)}</h2>
${factsHtml(rows)}
${
  gaps.length > 0 &&
  html`<h3>Latest interruptions</h3><ol class="gaps small">${gaps
    .slice(-MAX_GAPS)
    .reverse()
    .map((gap) => gapHtml(gap, now))}</ol>`
}</section>`;
}

function gapHtml({ from, to, reason, action }: HealthGap, now: number): Html {
  const end = to ?? now * 1000;
  return html`<li>${timeOf(from / 1000, now)}, ${durationWords(Math.max(0, Math.floor((end - from) / 1000)))}: ${reasonWords(reason)}. ${ACTIONS[action] ?? action}</li>`;
}

export type Feeds = ReturnType<typeof feedsOf>;

/** Returns the content of the page of the feeds. `now`: Unix seconds. */
export function feedsOf(view: ReadView, now: number) {
  const records = new Map(view.health.sourceRecords().map((record) => [record.source, record]));
  const live = view.matches.live(now);
  const doubted = live.filter(({ event_id }) => !view.matchHealth(event_id, now * 1000).believed);
  return {
    sources: view.health.sources(now * 1000).flatMap((belief) => {
      const record = records.get(belief.source);
      return record === undefined ? [] : [{ belief, record }];
    }),
    live: live.length,
    doubted: doubted.map((state) => boardMatch(state, view, now)),
  };
}
