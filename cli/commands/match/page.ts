/** Renders the page of one match. Pure. */
import { styleText } from 'node:util';
import { absenceText } from '#domain/absence.ts';
import { periodWords } from '#domain/sports/periods.ts';
import type { MatchIncident, MatchState, MatchTransition, TradingHalt } from '#records/types.ts';
import { orderWords, scopeWords } from '#story/halts.ts';
import { absenceWords } from '#story/history.ts';
import { type TimelineEntry, timelineOf } from '#story/incidents.ts';
import { durationWords, minuteText } from '#story/minute.ts';
import {
  agreementWords,
  endingWords,
  guardWords,
  scoreWords,
  statusName,
  unreadWords,
} from '#story/words.ts';
import type { FeedStatus } from '#trading/feed-status.ts';
import { isOver, type Trading, WENT_BACK } from '#trading/trading.ts';
import { renderIncident } from '#views/render/event.ts';
import { type ShownIncident, shownStateOf, storyStepOf } from '#views/store/board-view.ts';
import { isStoryStep } from '#views/store/story-steps.ts';
import { sidesText } from '../../summaries.ts';
import { cut, type TextCell, type TextColumn, tableLines } from '../../table.ts';
import { escapeLine } from '../../values.ts';
import { boardMatchOf, tradingCell } from '../live/board.ts';

export type StoryFacts = {
  readonly state: MatchState;
  /** All incidents, removed ones too. */
  readonly incidents: readonly MatchIncident[];
  /** At least the transitions of incidents and goals, in order. */
  readonly transitions: readonly MatchTransition[];
};

/** What may be traded on the match now, with the halts by hand that stand. */
type MatchTrading = {
  readonly trading: Trading;
  readonly feed: FeedStatus;
  readonly halts: readonly TradingHalt[];
};

/** Returns the important incidents, ordered by id as the provider does. */
function storyOf({ state, incidents, transitions }: StoryFacts): TimelineEntry[] {
  const shown = incidents.flatMap(shownIncident).sort((a, b) => (a.id < b.id ? -1 : 1));
  return timelineOf(shownStateOf(state), shown, transitions.filter(isStoryStep).map(storyStepOf));
}

function shownIncident({ id, removed, incident, cause }: MatchIncident): ShownIncident[] {
  if (incident === null) return [];
  const { json, important } = renderIncident(incident, () => null);
  return [{ ...incident, id, removed, received_at: cause.received_at, important, record: JSON.parse(json) }];
}

type PageRow = TimelineEntry & { readonly team: string | null };

const COLUMNS: readonly TextColumn<PageRow>[] = [
  {
    head: 'minute',
    align: 'right',
    of: (row) => styled(row, row.in_shoot_out ? 'pens' : row.minute && `${row.minute}'`),
  },
  { head: 'score', align: 'right', of: (row) => styled(row, row.running_score) },
  {
    head: 'incident',
    minWidth: 12,
    of: (row) => styled(row, row.name + (row.added ? ` +${row.added} min` : '')),
  },
  { head: 'team', minWidth: 8, of: (row) => styled(row, row.team ?? row.participant_name) },
  { head: 'player', minWidth: 8, of: (row) => styled(row, row.player) },
  { head: 'id', of: (row) => styled(row, row.id) },
];

/** Returns the lines of the page. `now` is Unix milliseconds; `width` is as for `tableLines`. */
export function pageLines(
  facts: StoryFacts,
  traded: MatchTrading,
  { now, width }: { readonly now: number; readonly width: number | null },
): string[] {
  const story = storyOf(facts);
  const sides = [facts.state.home, facts.state.away];
  const teamOf = (id: number | null) => sides.find((side) => side !== null && side.id === id)?.name ?? null;
  const entries = story.map((entry) => ({ ...entry, team: teamOf(entry.participant_id) }));
  const [head = '', ...rows] = tableLines(COLUMNS, entries, width);
  return [
    ...headLines(facts.state, traded, now).map((line) => cut(line, width)),
    '',
    ...(story.length === 0
      ? ['no incident was received yet']
      : [head, ...story.flatMap((entry, at) => [rows[at] ?? '', ...notesOf(entry, width)])]),
  ];
}

function headLines(state: MatchState, { trading, feed, halts }: MatchTrading, now: number): string[] {
  const match = boardMatchOf(shownStateOf(state), feed, now);
  const { event_id, version, score, firm, shoot_out, status_type, start_date, absence, cause } = state;
  const traded = tradingCell(trading, feed);
  const minute = status_type === 'live' ? minuteText(match, now / 1000) : '';
  const status = [statusName(match), minute, endingWords(state.status_id)].filter(Boolean);
  const penalties = shoot_out === null ? '' : `  on penalties ${scoreWords(shoot_out)}`;
  const age = Math.max(0, Math.floor((now - cause.received_at) / 1000));
  const title = styleText('bold', escapeLine(`${nameOf(state)}  ${scoreWords(score)}`));
  const before = [
    `${status.join(', ')}  ${start_date ?? ''}`.trimEnd(),
    match.periods.map(periodWords).join(', '),
  ];
  const after = [
    // Of a match that is over, no reason is shown beside the permission.
    isOver(status_type) && state.guard.reasons.includes(WENT_BACK) ? guardWords([WENT_BACK]) : '',
    ...halts.map(({ scope, orders }) => {
      const last = orders.at(-1);
      return last ? `${orderWords(last)} (${scopeWords(scope)}), ${timeText(last.order.at)}` : '';
    }),
    absence && `${absenceWords(absenceText(absence))}, ${timeText(absence.order?.at ?? absence.ut * 1_000)}`,
    state.missing.length === 0 ? '' : `not on the provider’s latest list: ${state.missing.join(', ')}`,
    ...unreadWords(state).map((words) => `not read: ${words}`),
    `event ${event_id}, version ${version}, last changed ${durationWords(age)} ago`,
  ];
  const lines = (texts: readonly (string | null)[]) =>
    texts.flatMap((text) => (text ? escapeLine(text) : []));
  return [
    `${title}  firm ${scoreWords(firm)}${penalties}  (${escapeLine(agreementWords(match))})`,
    ...lines(before),
    `trading ${typeof traded === 'string' ? traded : styleText(traded.style, escapeLine(traded.text))}`,
    ...lines(after),
  ];
}

/** Returns the names of both sides, or the name of the match. */
export function nameOf(state: MatchState): string {
  return sidesText(state) ?? state.name ?? 'unknown teams';
}

/** Returns a cell: bold for a goal, gray for a void incident. */
function styled({ void: isVoid, kind }: TimelineEntry, text: string | null): TextCell {
  if (text === null || (isVoid === null && kind !== 'goal')) return text;
  return { text, style: isVoid === null ? 'bold' : 'gray' };
}

const INDENT = ' '.repeat(8);

/** Returns the lines below an incident: why it is void, its note, and its story unless it was only reported. */
function notesOf(entry: TimelineEntry, width: number | null): string[] {
  const { note, story, kind, void_by } = entry;
  const why = entry.void === null ? note : entry.void + (void_by === null ? '' : ` It is ${void_by}.`);
  const showsStory = story.length > 1 || (story.length === 1 && kind.startsWith('goal'));
  const steps = story.map(({ received_at, ut, late, what, score, firm }) => {
    const effect = [
      score,
      firm === null || firm === score ? null : `firm ${firm}`,
      late === null ? null : `${durationWords(late)} late, written ${timeText(ut * 1_000)}`,
    ];
    return [timeText(received_at), what, ...effect].filter((part) => part !== null).join('  ');
  });
  return [...(why === null ? [] : [why]), ...(showsStory ? steps : [])].map((text) =>
    styleText('gray', cut(INDENT + escapeLine(text), width)),
  );
}

/** Returns Unix milliseconds as `2026-11-21 20:31:07.120Z`. */
function timeText(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ');
}

export function pageJson(facts: StoryFacts, { trading, feed, halts }: MatchTrading): object {
  const { reports: _, ...state } = facts.state;
  return { state, trading, feed, halts, story: storyOf(facts) };
}
