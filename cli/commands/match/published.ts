/** Derives what had been published of a match at a moment. Pure. */
import type { FeedHealth, Guard, HealthGap, MatchState, MatchTransition, Score } from '#records/types.ts';
import type { Written } from './records.ts';

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
  readonly score: Score | null;
  readonly firm: Score | null;
  readonly guard: Guard;
  /** E.g. `33 live`; null for unknown. */
  readonly status: string | null;
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

/** Returns what had been published at `at`, Unix milliseconds. */
export function publishedAt({ states, transitions }: MatchLog, at: number): PublishedAt {
  // Uses the order of the topic: processors with different clocks write times out of order, but never versions.
  const base = upToTime(states, at).at(-1);
  const upTo = upToTime(transitions, at);
  const last = upTo.at(-1);
  const newest = (last?.value.version ?? 0) > (base?.value.version ?? 0) ? last : base;
  if (newest === undefined) return withoutVersion(states, transitions);

  const { version } = newest.value;
  const { score, firm, guard, status_id, status_type } =
    'match' in newest.value ? newest.value.match : newest.value;
  const words = [status_id, status_type].filter((word) => word !== null);
  const after = [...states, ...transitions].filter(({ value }) => value.version > version);
  const current = base?.value.version === version ? base : undefined;
  return {
    kind: 'published',
    version,
    written: current?.written ?? newest.written,
    until: after.length === 0 ? null : Math.min(...after.map(({ written }) => written)),
    score,
    firm,
    guard,
    status: words.length === 0 ? null : words.join(' '),
    state: current?.value ?? null,
    transitions: upTo,
    since: sinceWhen(upTo, version),
  };
}

/** Returns the first version from which on each is held, up to `version`. */
function sinceWhen(transitions: readonly Written<MatchTransition>[], version: number): number {
  const held = new Set(transitions.map(({ value }) => value.version));
  let since = version;
  while (held.has(since - 1)) since -= 1;
  return since;
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
