import { isDeepStrictEqual } from 'node:util';
import type { FeedHealth, MatchState, TradingHalt } from '#records/types.ts';
import type { FeedStatus } from '#trading/feed-status.ts';
import { type Trading, tradingOf } from '#trading/trading.ts';
import type { StoryStep } from '#views/store/board-view.ts';
import { haltChanges, haltsAt } from './halts.ts';
import { scoreWords } from './words.ts';

/** What was known of a match for a time, Unix milliseconds: what could be traded, and whether its feed was believed. */
export type CourseStretch = Trading & {
  readonly from: number;
  readonly to: number;
  readonly believed: boolean;
};

/** What could be traded by what was known then: receipts and feed-health. Nothing is in play before `from` and after `to`. */
export type Course = {
  readonly from: number;
  readonly to: number;
  readonly stretches: readonly CourseStretch[];
  /** Each score with the time from which it was known. */
  readonly scores: readonly { readonly at: number; readonly score: string }[];
};

/** What the versions up to a time say of a match. */
type CourseMatch = Readonly<Pick<MatchState, 'status_type' | 'score' | 'firm' | 'guard'>>;

const OPEN = { safe: true, reasons: [] };
const NOTHING_KNOWN: CourseMatch = { status_type: null, score: null, firm: null, guard: OPEN };

/** Returns the steps with the time from which each was known, Unix milliseconds: never before the version before it. */
export function knownSteps(story: readonly StoryStep[]) {
  let at = Number.NEGATIVE_INFINITY;
  return story.map((step) => {
    at = Math.max(at, step.received_at);
    return { ...step, at };
  });
}

function knownAfter(known: CourseMatch, { kind, score, guard, value }: StoryStep): CourseMatch {
  if (kind === 'score_changed' && score !== null) return { ...known, score: score.after };
  if (kind === 'firm_score_changed' && score !== null) return { ...known, firm: score.after };
  if (kind === 'guard_changed' && guard !== null) return { ...known, guard };
  if (kind === 'status_changed' && value !== null)
    return { ...known, status_type: statusOf(value.after)[1] || null };
  return known;
}

/** Splits a status written as `34 live`. */
export function statusOf(written: string | null): readonly [id: number | null, type: string] {
  const [first = '', second] = (written ?? '').split(' ');
  return [/^\d+$/.test(first) ? Number(first) : null, second ?? first];
}

/** What closes trading beside match state: the past of its feed, and the records of the scopes of trading-halts that it is in. */
export type ClosingPast = { readonly feed: FeedPast; readonly halts: readonly TradingHalt[] };

/** Returns the course of a match; null when nothing was in play. `now`: the end of a match that goes on, Unix milliseconds. */
export function matchCourse(story: readonly StoryStep[], past: ClosingPast, now: number): Course | null {
  const steps = knownSteps(story);
  const all = stretchesOf(steps, past, now);
  const isInPlay = ({ permission }: CourseStretch): boolean => permission !== 'not_in_play';
  const stretches = all.slice(all.findIndex(isInPlay), all.findLastIndex(isInPlay) + 1);
  const [first, last] = [stretches[0], stretches.at(-1)];
  if (first === undefined || last === undefined) return null;
  const scores = steps.flatMap(({ kind, score, at }) =>
    kind === 'score_changed' && score !== null && at <= last.to
      ? [{ at: Math.max(at, first.from), score: scoreWords(score.after) }]
      : [],
  );
  return { from: first.from, to: last.to, stretches, scores };
}

/** Returns all stretches since the first version, without gaps, each different from the one before it. */
function stretchesOf(
  steps: ReturnType<typeof knownSteps>,
  { feed, halts }: ClosingPast,
  now: number,
): CourseStretch[] {
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return [];
  const end = Math.max(now, last.at);
  const gapEnds = feed.flat().flatMap(({ from, to }) => [from, to]);
  const changes = [...steps.map(({ at }) => at), ...gapEnds, ...haltChanges(halts)];
  const times = [...new Set(changes)].filter((at) => first.at <= at && at < end).sort((a, b) => a - b);
  const stretches: CourseStretch[] = [];
  let known = NOTHING_KNOWN;
  let next = 0;
  for (const [n, from] of times.entries()) {
    for (let step = steps[next]; step !== undefined && step.at <= from; step = steps[++next])
      known = knownAfter(known, step);
    const to = times[n + 1] ?? end;
    const belief = feedAt(feed, from);
    const trading = tradingOf(known, belief, haltsAt(halts, from));
    const stretch = { from, to, ...trading, believed: belief.believed };
    const before = stretches.at(-1);
    if (before !== undefined && isDeepStrictEqual({ ...before, from, to }, stretch))
      stretches[stretches.length - 1] = { ...before, to };
    else stretches.push(stretch);
  }
  return stretches;
}

/** A time in which a source was not believed about a match, by what readers knew then. Unix milliseconds. */
type FeedGap = {
  /** Negative infinity: before the first record of the match, or before the gaps that are kept. */
  readonly from: number;
  /** Infinity while it lasts. */
  readonly to: number;
  readonly state: FeedStatus['state'];
  /** As of feed-health; null where there was no record. */
  readonly reason: string | null;
};

/** The gaps of each source that has a record of a match; they may overlap. */
export type FeedPast = readonly (readonly FeedGap[])[];

const ALWAYS = Number.POSITIVE_INFINITY;
const NEVER = Number.NEGATIVE_INFINITY;
const BELIEVED = { believed: true, state: 'alive', reason: null } as const;
const STATES: Readonly<Record<string, FeedStatus['state']>> = {
  silence: 'stale',
  delay: 'delayed',
  clock: 'delayed',
  monitor: 'expired',
  ended: 'ended',
};

/** Returns the past of a match's feed, from its records and those of its sources. `now`: Unix milliseconds. */
export function feedPast(records: readonly FeedHealth[], now: number): FeedPast {
  const sources = new Map(
    records.flatMap((record) => (record.event_id === null ? [[record.source, record]] : [])),
  );
  return records
    .filter(({ event_id }) => event_id !== null)
    .map((match) => gapsOf(match, sources.get(match.source), now));
}

function gapsOf(match: FeedHealth, source: FeedHealth | undefined, now: number): FeedGap[] {
  const unknown = { state: 'unknown', reason: null } as const;
  const recorded = [match, ...(source === undefined ? [] : [source])].flatMap((record) => {
    const gaps = record.gaps.map((gap) => ({
      from: gap.published_from ?? gap.from,
      to: gap.published_to ?? gap.to ?? ALWAYS,
      state: STATES[gap.reason] ?? 'down',
      reason: gap.reason,
    }));
    const oldest = gaps[0];
    return record.gap_count > gaps.length && oldest !== undefined
      ? [{ ...unknown, from: NEVER, to: oldest.from }, ...gaps]
      : gaps;
  });
  if (match.judged_from !== null) recorded.push({ ...unknown, from: NEVER, to: match.judged_from });
  if (match.state === 'ended')
    recorded.push({ from: match.since, to: ALWAYS, state: 'ended', reason: 'ended' });
  else if (source === undefined) recorded.push({ ...unknown, from: match.written_at, to: ALWAYS });
  else if (source.valid_until !== null && source.valid_until <= now)
    recorded.push({ from: source.valid_until, to: ALWAYS, state: 'expired', reason: 'monitor' });
  return recorded;
}

/** Returns whether readers believed the feed at a time (Unix milliseconds), and if not, why. One believed source is enough. */
export function feedAt(past: FeedPast, at: number): Pick<FeedStatus, 'believed' | 'state' | 'reason'> {
  let latest: FeedGap | null = null;
  for (const gaps of past) {
    const gap = gaps.findLast(({ from, to }) => from <= at && at < to);
    if (gap === undefined) return BELIEVED;
    if (latest === null || gap.from > latest.from) latest = gap;
  }
  return { believed: false, state: latest?.state ?? 'unknown', reason: latest?.reason ?? null };
}

/** A time in which a match could not be traded. Unix milliseconds. */
export type Halt = {
  readonly from: number;
  /** Null while it goes on. */
  readonly to: number | null;
  /** Every reason that it had, in the order in which they came; as of `tradingOf`. */
  readonly reasons: readonly string[];
  /** The score when it began, e.g. `1–0`; null: unknown. */
  readonly score: string | null;
};

/** Returns the halts of a match, oldest first, stretches that follow each other as one. `isOver`: none goes on. */
export function haltsOf({ stretches, scores }: Course, isOver: boolean): Halt[] {
  const halts: Halt[] = [];
  for (const [n, { from, to, permission, reasons }] of stretches.entries()) {
    if (permission !== 'halted') continue;
    const end = n === stretches.length - 1 && !isOver ? null : to;
    const before = halts.at(-1);
    if (before !== undefined && before.to === from)
      halts[halts.length - 1] = {
        ...before,
        to: end,
        reasons: [...new Set([...before.reasons, ...reasons])],
      };
    else {
      const score = scores.findLast(({ at }) => at <= from)?.score ?? null;
      halts.push({ from, to: end, reasons, score });
    }
  }
  return halts;
}

/** Returns the halts of each reason, the most frequent first. A halt with several reasons counts for each. `now`: Unix milliseconds. */
export function reasonTotals(halts: readonly Halt[], now: number) {
  const ofReasons = halts.flatMap(({ from, to, reasons }) =>
    reasons.map((reason) => ({ reason, lasted: (to ?? now) - from })),
  );
  return Array.from(
    Map.groupBy(ofReasons, ({ reason }) => reason),
    ([reason, all]) => ({
      reason,
      halts: all.length,
      /** Milliseconds in which the halts that had the reason lasted. */
      duration: all.reduce((sum, { lasted }) => sum + lasted, 0),
    }),
  ).sort((a, b) => b.halts - a.halts || b.duration - a.duration);
}
