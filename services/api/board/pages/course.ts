import type { Course, CourseStretch } from '#story/course.ts';
import { durationWords } from '#story/minute.ts';
import { guardWords } from '#story/words.ts';
import { type Html, html } from './html.ts';
import { timeOf } from './layout.ts';

/** Minimum distance of two labels, as a share of the width; closer labels would overlap. */
const MIN_DISTANCE = 0.16;

const KEY: Readonly<Record<string, string>> = { safe: 'safe', halted: 'halted', unfed: 'feed not believed' };

/**
 * Renders what could be traded over time as a band, and the scores above it, each from when it was known. `now`: Unix seconds.
 */
export function courseHtml(course: Course, now: number): Html {
  const { from, to, stretches, scores } = course;
  const shareOf = (at: number): number => (at - from) / Math.max(1, to - from);
  const total = (which: (stretch: CourseStretch) => boolean): string =>
    durationWords(seconds(stretches.filter(which).reduce((sum, one) => sum + one.to - one.from, 0)));
  const path = scores.map(({ score }) => score).join(', ');
  const words = `Trading was halted for ${total(({ permission }) => permission === 'halted')} of ${durationWords(seconds(to - from))}; the feed was not believed for ${total(({ believed }) => !believed)}. The score: ${path || 'unknown'}.`;
  const kinds = ['safe', 'halted', 'unfed'].filter((kind) => stretches.some((one) => kindOf(one) === kind));
  return html`<figure class="course"><svg width="100%" height="48" role="img" aria-label="${words}">
${stretches.map((one) => html`<rect class="${kindOf(one)}" x="${percent(shareOf(one.from))}" width="${percent(shareOf(one.to) - shareOf(one.from))}" y="26" height="14"><title>${titleOf(one)}</title></rect>`)}
${scores.map(({ at }) => html`<line x1="${percent(shareOf(at))}" x2="${percent(shareOf(at))}" y1="20" y2="46"/>`)}
${labels(course).map(({ at, score }) => html`<text x="${percent(shareOf(at))}" y="15" text-anchor="${anchor(shareOf(at))}">${score}</text>`)}
</svg><figcaption class="row small"><span>${timeOf(from / 1000, now)} <span class="zone">UTC</span></span> <span class="key">${kinds.map((kind) => html`<span class="${kind}">${KEY[kind]}</span> `)}</span> <span>${timeOf(to / 1000, now)} <span class="zone">UTC</span></span></figcaption></figure>`;
}

function kindOf({ permission, believed }: CourseStretch): string {
  if (permission === 'not_in_play') return 'out-of-play';
  return believed ? permission : 'unfed';
}

/** Returns e.g. `20:31:07 to 20:32:04: halted, feed stale`. */
function titleOf({ from, to, permission, reasons }: CourseStretch): string {
  const words =
    permission === 'not_in_play'
      ? 'not in play'
      : [permission, guardWords([...reasons])].filter(Boolean).join(', ');
  return `${clockOf(from)} to ${clockOf(to)}: ${words}`;
}

function clockOf(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}

function seconds(ms: number): number {
  return Math.round(ms / 1000);
}

/** Returns the scores with room for a label; of two close ones the later. */
function labels({ from, to, scores }: Course): Course['scores'] {
  return scores.filter(({ at }, n) => {
    const next = scores[n + 1];
    return next === undefined || (next.at - at) / (to - from) > MIN_DISTANCE;
  });
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}

function anchor(share: number): string {
  if (share < MIN_DISTANCE) return 'start';
  return share > 1 - MIN_DISTANCE ? 'end' : 'middle';
}
