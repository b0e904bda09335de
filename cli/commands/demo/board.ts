import { STATUSES_OF_SOCCER } from '#contract/soccer.ts';
import { clockAt, renderMinute } from '#domain/clock.ts';
import type { MatchState, MatchTransition, Score } from '#topics/generated/types.ts';
import { type Dataset, finalScore, type MatchFacts } from '../../../data/dataset.ts';

/** One match as the table shows it. */
export type BoardRow = ReturnType<DemoBoard['rows']>[number];

/** What the head and the foot of the table show. */
export type BoardTotals = ReturnType<DemoBoard['totals']>;

const NEWS_KEPT = 20;
/** How long a review and a new score stay marked, in milliseconds. */
const LINGERS = 700;
const BREAKS: Readonly<Record<number, string>> = { 9: 'HT', 48: '90', 37: '105', 142: '120', 141: 'pens' };
const STATUS_WORDS: Readonly<Record<number, string>> = {
  1: 'not started',
  9: 'half-time',
  11: 'full time',
  14: 'after ET',
  35: 'ET 1st half',
  36: 'ET 2nd half',
  37: 'ET half-time',
  48: 'before ET',
  142: 'before pens',
};
const SHOOT_OUT = 141;
const AFTER_SHOOT_OUT = 13;
const GUARD_WORDS: Readonly<Record<string, string>> = {
  under_review: 'review',
  possible_goal: 'goal?',
  possible_card: 'card?',
  possible_penalty: 'penalty?',
  possible_var: 'VAR',
  game_break: 'break',
  bet_suspended: 'bets off',
  score_differs: 'score differs',
  interrupted: 'interrupted',
};

/** State of the played matches, from the topics alone. */
export class DemoBoard {
  readonly #dataset: Dataset;
  readonly #facts: ReadonlyMap<number, MatchFacts>;
  readonly #matches: number;
  readonly #states = new Map<number, MatchState>();
  readonly #reviewedAt = new Map<number, number>();
  readonly #scoredAt = new Map<number, number>();
  readonly #news: string[] = [];
  readonly #now: () => number;
  #transitions = 0;

  /** `now` returns milliseconds. */
  constructor(dataset: Dataset, matches: number, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#dataset = dataset;
    this.#matches = matches;
    this.#facts = new Map(dataset.matches.map((match) => [match.id, match]));
  }

  /** Applies a state; ignores one with an older version. */
  state(state: MatchState): void {
    const { event_id, version, score, under_review } = state;
    const before = this.#states.get(event_id);
    if (before !== undefined && before.version >= version) return;
    this.#states.set(event_id, state);
    if (under_review) this.#reviewedAt.set(event_id, this.#now());
    if (before?.score != null && score !== null && goals(before.score) !== goals(score)) {
      this.#scoredAt.set(event_id, this.#now());
    }
  }

  transition({ kind, event_id, score }: MatchTransition): void {
    this.#transitions++;
    const state = this.#states.get(event_id);
    if (kind !== 'score_changed' || score === null || state === undefined) return;
    const { before, after } = score;
    if (before === null || after === null) return;
    const rise = goals(after) - goals(before);
    const what = rise > 0 ? 'goal, under review' : 'goal disallowed';
    const minute = minuteOf(state);
    this.#news.unshift(
      `${minute.padStart(6)}  ${name(state.home)} ${after.home}-${after.away} ${name(state.away)}: ${what}`,
    );
    this.#news.length = Math.min(this.#news.length, NEWS_KEPT);
  }

  /** The latest first. */
  get news(): readonly string[] {
    return this.#news;
  }

  /** At most so many matches in order of date: live ones, then the latest. */
  rows(limit: number) {
    const ordered = [...this.#states.values()].sort(
      (a, b) => (a.start_date ?? '').localeCompare(b.start_date ?? '') || a.event_id - b.event_id,
    );
    const rank = new Map(ordered.map((state, n) => [state, isLive(state) ? Number.MAX_SAFE_INTEGER : n]));
    const shown = new Set(
      ordered.toSorted((a, b) => (rank.get(b) ?? 0) - (rank.get(a) ?? 0)).slice(0, limit),
    );
    return ordered.filter((state) => shown.has(state)).map((state) => this.#row(state));
  }

  totals() {
    const states = [...this.#states.values()];
    const count = (holds: (state: MatchState) => boolean): number => states.filter(holds).length;
    return {
      title: this.#title(states),
      matches: this.#matches,
      finished: count(isFinished),
      live: count(isLive),
      underReview: count((state) => state.under_review),
      halted: count((state) => isLive(state) && !state.guard.safe),
      goals: states.reduce((sum, { score }) => sum + (score === null ? 0 : goals(score)), 0),
      disallowed: states.reduce((sum, { void_goals }) => sum + Object.keys(void_goals).length, 0),
      transitions: this.#transitions,
    };
  }

  #title(states: readonly MatchState[]): string {
    const { season, stages } = this.#dataset.competition;
    const last = states.reduce<MatchState | undefined>(
      (latest, state) => (latest === undefined || state.event_id > latest.event_id ? state : latest),
      undefined,
    );
    const facts = this.#facts.get(last?.event_id ?? 0);
    const stage = stages.find(({ id }) => id === facts?.stage);
    const round = stage?.rounds.find(({ id }) => id === facts?.round);
    return [season.name, stage?.name, round?.name].filter((part) => part !== undefined).join(' · ');
  }

  #isRecent(at: number | undefined): boolean {
    return at !== undefined && this.#now() - at < LINGERS;
  }

  #row(state: MatchState) {
    const { event_id: eventId, score, guard, status_type: phase } = state;
    return {
      eventId,
      minute: minuteOf(state),
      home: name(state.home),
      away: name(state.away),
      score: phase === 'scheduled' ? 'v' : score === null ? '? - ?' : `${score.home} - ${score.away}`,
      status: statusOf(state),
      phase,
      /** Under review now, or a moment ago: at many times the speed of life a review lasts no longer than a blink. */
      underReview: state.under_review || this.#isRecent(this.#reviewedAt.get(eventId)),
      /** The score changed a moment ago. */
      fresh: this.#isRecent(this.#scoredAt.get(eventId)),
      /** Why trading may not act; empty where it may. */
      guard: guard.reasons.map((reason) => GUARD_WORDS[reason] ?? reason),
      /** Of a finished match: whether score and shoot-out are the official ones. */
      official: isFinished(state) && isOfficial(state, this.#facts.get(eventId)),
    };
  }
}

/** Whether a state has the official score, and the official shoot-out where there was one. */
export function isOfficial(state: MatchState, facts: MatchFacts | undefined): boolean {
  if (facts === undefined) return false;
  const is = (score: Score | null, official: readonly [number, number] | undefined): boolean =>
    official === undefined ? score === null : score?.home === official[0] && score.away === official[1];
  return (
    is(state.score, finalScore(facts)) && is(state.firm, finalScore(facts)) && is(state.shoot_out, facts.pens)
  );
}

export function isFinished({ status_type }: MatchState): boolean {
  return status_type === 'finished';
}

function isLive({ status_type }: MatchState): boolean {
  return status_type === 'live';
}

function goals({ home, away }: Score): number {
  return home + away;
}

function name(participant: MatchState['home']): string {
  return participant?.short_name ?? participant?.name ?? '?';
}

function minuteOf({ clock, status_id, status_type }: MatchState): string {
  if (status_type !== 'live') return '';
  const inBreak = BREAKS[status_id ?? 0];
  if (inBreak !== undefined) return inBreak;
  const { played_time } = clockAt(clock, status_id, clock?.ut ?? 0);
  return played_time === null ? '' : `${renderMinute(played_time, status_id)}'`;
}

function statusOf({ status_id, shoot_out }: MatchState): string {
  const id = status_id ?? 0;
  const kicks = shoot_out === null ? '' : ` ${shoot_out.home}-${shoot_out.away}`;
  if (id === SHOOT_OUT || id === AFTER_SHOOT_OUT) return `pens${kicks}`;
  return STATUS_WORDS[id] ?? STATUSES_OF_SOCCER.get(id)?.name ?? '';
}
