import type { Course } from '../course.ts';
import { type Html, html } from '../shown/html.ts';
import { durationWords } from '../shown/minute.ts';
import { timeOf } from './layout.ts';

/** Minimum distance of two labels, as a share of the width; closer labels would overlap. */
const MIN_DISTANCE = 0.16;

/** Renders guard and score over time: the guard as a band, the scores above it. `now`: Unix seconds. */
export function courseHtml(course: Course, now: number): Html {
  const { from, to, guards, scores } = course;
  const place = (at: number): number => (at - from) / (to - from);
  const halted = guards.reduce((sum, guard) => sum + (guard.safe ? 0 : guard.to - guard.from), 0);
  const path = scores.map(({ score }) => score).join(', ');
  const words = `Trading was halted for ${durationWords(halted)} of ${durationWords(to - from)}. The score: ${path || 'unknown'}.`;
  return html`<figure class="course" data-key="course"><svg width="100%" height="48" role="img" aria-label="${words}">
${guards.map((guard) => html`<rect class="${guard.safe ? 'safe' : 'halted'}" x="${percent(place(guard.from))}" width="${percent(place(guard.to) - place(guard.from))}" y="26" height="14"/>`)}
${scores.map(({ at }) => html`<line x1="${percent(place(at))}" x2="${percent(place(at))}" y1="20" y2="46"/>`)}
${labels(course).map(({ at, score }) => html`<text x="${percent(place(at))}" y="15" text-anchor="${anchor(place(at))}">${score}</text>`)}
</svg><figcaption class="row small"><span>${timeOf(from, now)} UTC</span> <span class="key"><span class="safe">safe</span> <span class="halted">halted</span></span> <span>${timeOf(to, now)} UTC</span></figcaption></figure>`;
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
