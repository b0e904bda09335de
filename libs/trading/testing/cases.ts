/** The cases of cases.json with their defaults filled in. */
import file from '../cases.json' with { type: 'json' };
import type { FeedStatus, HealthRecord, Now, ReaderLimits } from '../feed-status.ts';
import type { HaltRecord } from '../halts.ts';
import type { Trading, tradingOf } from '../trading.ts';

type TradedMatch = NonNullable<Parameters<typeof tradingOf>[0]>;

type Entry = {
  readonly of: 'source' | 'match';
  readonly read_at?: number;
  readonly changes?: Partial<HealthRecord>;
};

/** A case as in the file. */
type Written = {
  readonly title: string;
  readonly now?: Partial<Now>;
  readonly match?: Partial<TradedMatch & { readonly competition_id: number | null }> | null;
  readonly doubts?: readonly string[];
  readonly limits?: ReaderLimits;
  readonly halts?: readonly HaltRecord[];
  /** When the halts were first looked at; by default now. */
  readonly halts_seen?: Now;
  /** Time since the halts were last read to their end, milliseconds. */
  readonly halts_unread_for?: number;
  readonly health: readonly Entry[];
  readonly expected: Trading & { readonly feed: Partial<FeedStatus> };
};

/** Records of feed-health with their keys and when they were read. */
export type ReadHealth = readonly {
  readonly key: string;
  readonly record: HealthRecord;
  readonly at: number;
}[];

const { defaults } = file;

/** The values that cases leave out. */
export const DEFAULTS = defaults;

/** The match of all cases. */
export const EVENT = file.event_id;

/** Returns the records of a case. */
export function healthOf(entries: readonly Entry[]): ReadHealth {
  return entries.map(({ of, read_at = defaults.read_at, changes }) => {
    const record = { ...defaults.records[of], ...changes } as HealthRecord;
    const { source, event_id } = record;
    return { key: event_id === null ? source : `${source}/${event_id}`, record, at: read_at };
  });
}

/** Every case, with its defaults. */
export const CASES = (file.cases as readonly Written[]).map(
  ({
    title,
    now,
    match,
    limits = {},
    doubts = [],
    halts = [],
    halts_seen: seen = { ...defaults.now, ...now },
    halts_unread_for: unreadFor = 0,
    health,
    expected,
  }) => ({
    title,
    limits,
    halts,
    seen,
    unreadFor,
    now: { ...defaults.now, ...now },
    match: match === null ? null : { ...defaults.match, ...match },
    doubts,
    health: healthOf(health),
    expected: { ...expected, feed: { ...defaults.feed, ...expected.feed } },
  }),
);

/** A case of `nextState`: the version and the offset of its cause of each state that is read, and what is held at the end. */
type StateCase = {
  readonly title: string;
  readonly read: readonly (readonly [version: number, offset: number])[];
  readonly expected: { readonly version: number; readonly reasons: readonly string[] };
};

/** Every case of the states of a match. */
export const STATE_CASES = file.state_cases as unknown as readonly StateCase[];
