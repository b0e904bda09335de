/** Derives what had been published of a match at a moment. Pure. */
import type { FeedHealth, Guard, HealthGap, MatchState, MatchTransition, Score } from '#records/types.ts';
import type { Written } from './records.ts';

/** A value; null when the topics no longer hold it. */
export type Held<T> = { readonly value: T } | null;

/** The records of a match, in the order of each topic. */
export type MatchLog = {
  /** Records of match-state, where compaction removes all but the newest. */
  readonly states: readonly Written<MatchState>[];
  /** Records of match-transitions, where retention removes the oldest. */
  readonly transitions: readonly Written<MatchTransition>[];
};

/** The version that was current at a moment. Times are those of writing, Unix milliseconds. */
export type Published = {
  readonly kind: 'published';
  readonly version: number;
  readonly written: number;
  /** The time at which the next version was written; null when there is none yet. */
  readonly until: number | null;
  /** A value of null was published as unknown. */
  readonly score: Held<Score | null>;
  readonly firm: Held<Score | null>;
  readonly guard: Held<Guard>;
  /** E.g. `33 live`. */
  readonly status: Held<string | null>;
  /** The published state; null when match-state no longer holds that version. */
  readonly state: MatchState | null;
  /** The changes up to the moment that match-transitions holds, oldest first. */
  readonly transitions: readonly Written<MatchTransition>[];
  /** The first version from which every change is held. */
  readonly since: number;
};

/** What had been published at a moment. */
export type PublishedAt =
  | Published
  /** Nothing had been published; `first` is the first published record. */
  | { readonly kind: 'nothing'; readonly first: Written<MatchTransition> }
  /** The version of that moment is no longer held; `oldest` is the first version that is. */
  | { readonly kind: 'lost'; readonly oldest: { readonly version: number; readonly written: number } }
  | { readonly kind: 'unknown' };

/** The guard of a match before its first change (law 9). */
const FIRST_GUARD: Guard = { safe: true, reasons: [] };

/** Returns what had been published at `at`, Unix milliseconds. */
export function publishedAt({ states, transitions }: MatchLog, at: number): PublishedAt {
  // Uses the order of the topic: processors with different clocks write times out of order, but never versions.
  const base = upToTime(states, at).at(-1);
  const upTo = upToTime(transitions, at);
  const last = upTo.at(-1);
  const version = Math.max(base?.value.version ?? 0, last?.value.version ?? 0);
  if (version === 0) return withoutVersion(states, transitions);

  let values: Values = base === undefined ? INITIAL : valuesOf(base.value);
  let known = base?.value.version ?? 0;
  let since = known + 1;
  for (const { value } of upTo.filter((one) => one.value.version > known)) {
    // The versions in between are gone: only values that changed since are known.
    if (value.version > known + 1) {
      values = UNHELD;
      since = value.version;
    }
    known = value.version;
    values = changed(values, value);
  }
  const after = [...states, ...transitions].filter(({ value }) => value.version > version);
  const current = base?.value.version === version ? base : undefined;
  return {
    kind: 'published',
    version,
    written: current?.written ?? last?.written ?? at,
    until: after.length === 0 ? null : Math.min(...after.map(({ written }) => written)),
    ...values,
    state: current?.value ?? null,
    transitions: upTo,
    since: current === undefined ? since : (upTo[0]?.value.version ?? version),
  };
}

type Values = Pick<Published, 'score' | 'firm' | 'guard' | 'status'>;

const INITIAL: Values = {
  score: { value: null },
  firm: { value: null },
  guard: { value: FIRST_GUARD },
  status: { value: null },
};
const UNHELD: Values = { score: null, firm: null, guard: null, status: null };

function valuesOf({ score, firm, guard, status_id, status_type }: MatchState): Values {
  const words = [status_id, status_type].filter((word) => word !== null);
  return {
    score: { value: score },
    firm: { value: firm },
    guard: { value: guard },
    status: { value: words.length === 0 ? null : words.join(' ') },
  };
}

function changed(values: Values, { kind, score, guard, value }: MatchTransition): Values {
  if (kind === 'score_changed' && score !== null) return { ...values, score: { value: score.after } };
  if (kind === 'firm_score_changed' && score !== null) return { ...values, firm: { value: score.after } };
  if (kind === 'guard_changed' && guard !== null) return { ...values, guard: { value: guard } };
  if (kind === 'status_changed' && value !== null) return { ...values, status: { value: value.after } };
  return values;
}

/** Returns why no version is held up to the moment. */
function withoutVersion(
  states: readonly Written<MatchState>[],
  transitions: readonly Written<MatchTransition>[],
): PublishedAt {
  const [first] = transitions;
  if (first?.value.version === 1) return { kind: 'nothing', first };
  const oldest = first ?? states[0];
  if (oldest === undefined) return { kind: 'unknown' };
  return { kind: 'lost', oldest: { version: oldest.value.version, written: oldest.written } };
}

/** Returns the records up to the last one that was written by `at`. */
function upToTime<T>(records: readonly Written<T>[], at: number): readonly Written<T>[] {
  return records.slice(0, records.findLastIndex(({ written }) => written <= at) + 1);
}

/** A gap in the messages of a source, or `ofMatch` in those of the match. */
export type RecordedGap = HealthGap & { readonly source: string; readonly ofMatch: boolean };

/** Returns the recorded gaps that include a moment. `records`: those of all sources and of one match. */
export function gapsAt(records: readonly FeedHealth[], at: number): RecordedGap[] {
  return records.flatMap(({ source, event_id, gaps }) =>
    gaps
      .filter(({ from, to }) => from <= at && (to === null || at < to))
      .map((gap) => ({ ...gap, source, ofMatch: event_id !== null })),
  );
}
