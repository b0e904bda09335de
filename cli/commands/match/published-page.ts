/** Renders what had been published at a moment. Pure. */

import type { MatchTransition } from '#records/types.ts';
import { statusWords } from '#story/history.ts';
import { guardWords, scoreWords } from '#story/words.ts';
import { summaryOf } from '../../summaries.ts';
import { cut, type TextColumn, tableLines } from '../../table.ts';
import { escapeLine } from '../../values.ts';
import { nameOf, timeText } from './page.ts';
import type { Published, RecordedGap } from './published.ts';
import type { Written } from './records.ts';

/** Maximum number of changes to list; `--json` has all. */
const MAX_LISTED = 20;

const COLUMNS: readonly TextColumn<Written<MatchTransition>>[] = [
  { head: 'written', of: ({ written }) => timeText(written) },
  { head: 'received', of: ({ value }) => timeText(value.cause.received_at) },
  { head: 'change', minWidth: 30, of: ({ value }) => summaryOf('match-transitions', value) },
];

/** Delay of a publication that only a backlog, a replay or a rebuild explains. */
const LATE_MS = 60_000;

/** Returns the lines; `gaps` are those of the moment `at`, `width` is as for `tableLines`. */
export function publishedLines(
  published: Published,
  {
    at,
    gaps,
    width,
  }: { readonly at: number; readonly gaps: readonly RecordedGap[]; readonly width: number | null },
): string[] {
  const { version, written, until, score, firm, guard, status, state, transitions } = published;
  const listed = transitions.slice(-MAX_LISTED);
  const lines = [
    `as published by ${timeText(at)}`,
    `version ${version}, written ${timeText(written)}, ${until === null ? 'the newest' : `until ${timeText(until)}`}`,
    '',
    ...(state === null ? [] : [`match   ${nameOf(state)}`]),
    `score   ${scoreWords(score)}`,
    `firm    ${scoreWords(firm)}`,
    `guard   ${guard.safe ? 'open' : `closed: ${guardWords(guard.reasons)}`}`,
    `status  ${statusWords(status)}`,
    ...feedLines(gaps),
    '',
    ...notesOf(published),
  ].map((line) => cut(escapeLine(line), width));
  const before = transitions.length - listed.length;
  return [
    ...lines,
    ...(before === 0 ? [] : [`${before} changes before these: --json has them`]),
    ...(listed.length === 0 ? [] : tableLines(COLUMNS, listed, width)),
  ];
}

function feedLines(gaps: readonly RecordedGap[]): string[] {
  if (gaps.length === 0) return ['feed    no gap is recorded; whether it was believed then is not held'];
  return gaps.map(({ source, ofMatch, from, to, reason }) => {
    const until = to === null ? 'on' : `to ${timeText(to)}`;
    return `feed    ${source}${ofMatch ? ', this match' : ''}: gap from ${timeText(from)} ${until} (${reason})`;
  });
}

/** Returns notes on what is missing, or uncertain. */
function notesOf({ state, version, transitions, since }: Published): string[] {
  const notes: string[] = [];
  if (state === null)
    notes.push(
      `match-state no longer has version ${version}: it is compacted. This is from match-transitions.`,
    );
  if (transitions.length === 0 || since > 1)
    notes.push(
      transitions.length === 0
        ? 'match-transitions has none of its changes up to then any more.'
        : `match-transitions no longer has every change before version ${since}.`,
    );
  if (transitions.some(({ value, written }) => written - value.cause.received_at > LATE_MS))
    notes.push(
      'Changes were published more than a minute after they were received: a backlog, a replay or a rebuild. What another run had published before is not in these topics.',
    );
  return notes.length === 0 ? [] : [...notes, ''];
}
