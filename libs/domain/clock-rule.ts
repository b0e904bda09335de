/** How the clock of a match is read: by its sport, and by what its event says. */
import type { EventParticipant, ReportedValue } from '#records/types.ts';
import { RESULT, SOCCER } from '#soccer/soccer.ts';
import { count } from './values.ts';

/** The nominal lengths of periods, minutes. */
export type PeriodLengths = { readonly half: number; readonly extra_half: number };

/** The periods of a sport: soccer's lengths; `unknown` in another sport; `no_clock` in a sport without a clock, which has no minutes. */
export type PeriodRule = PeriodLengths | 'unknown' | 'no_clock';

/** How the clock of a match is read. */
export type ClockRule = {
  readonly lengths: PeriodRule;
  /** Whether extra time was played; null where unknown. */
  readonly extra_time: boolean | null;
  /** The match time that the provider reported last, in another sport with a clock, seconds; null where none is reported. */
  readonly played: { readonly time: number; readonly ut: number } | null;
};

export const SOCCER_LENGTHS: PeriodLengths = { half: 45, extra_half: 15 };
export const SOCCER_CLOCK: ClockRule = { lengths: SOCCER_LENGTHS, extra_time: null, played: null };

/** Ids of the details of an event that say how long its periods are. */
const DETAIL = { periodLength: 16, periods: 17, extraPeriodLength: 50 } as const;

const EXTRA_TIME_RESULTS: ReadonlySet<number | null> = new Set([
  RESULT.extraTime,
  RESULT.extraTimeFirstHalf,
  RESULT.extraTimeSecondHalf,
]);

/** The sports of the provider's published catalogue that have a clock (`has_timer`). A later one has the clock that its events report. */
const SPORTS_WITH_CLOCK: ReadonlySet<number> = new Set([1, 3, SOCCER, 6, 8, 16]);
const LAST_PUBLISHED_SPORT = 78;

/** The longest period, minutes: a longer one is no length of a half. */
const LONGEST = 60;

/** Returns the clock rule of a match. `sportId`: null counts as soccer. `played`: the reported match time, null where outdated. */
export function clockRule(
  sportId: number | null,
  reported: {
    readonly details: readonly ReportedValue[];
    readonly participants: readonly EventParticipant[];
    readonly played: ClockRule['played'];
  },
): ClockRule {
  const lengths = periodLengths(sportId, reported.details);
  if (typeof lengths === 'string')
    return { lengths, extra_time: null, played: lengths === 'unknown' ? reported.played : null };
  return {
    lengths,
    extra_time: extraTimePlayed(reported.participants),
    played: null,
  };
}

/** Whether extra time was played: without it the provider reports its results empty. Null when it reports none of them. */
export function extraTimePlayed(participants: readonly EventParticipant[]): boolean | null {
  const values = participants
    .flatMap(({ results }) => results)
    .filter(({ id }) => EXTRA_TIME_RESULTS.has(id))
    .map(({ value }) => count(value));
  return values.length === 0 ? null : values.some((value) => value !== null);
}

/** Returns the lengths of a half and of one of extra time from an event's `details`. `sportId`: null counts as soccer. */
export function periodLengths(sportId: number | null, details: readonly ReportedValue[]): PeriodRule {
  if (sportId !== null && sportId !== SOCCER)
    return sportId > LAST_PUBLISHED_SPORT || SPORTS_WITH_CLOCK.has(sportId) ? 'unknown' : 'no_clock';
  const values = new Map(details.map(({ id, value }) => [id, count(value)]));
  const own = (id: number): number | null => {
    const length = values.get(id) ?? 0;
    return length >= 1 && length <= LONGEST ? length : null;
  };
  const isTwoHalves = (values.get(DETAIL.periods) ?? 2) === 2;
  const half = (isTwoHalves ? own(DETAIL.periodLength) : null) ?? SOCCER_LENGTHS.half;
  const extra_half = own(DETAIL.extraPeriodLength) ?? SOCCER_LENGTHS.extra_half;
  const isUsual = half === SOCCER_LENGTHS.half && extra_half === SOCCER_LENGTHS.extra_half;
  return isUsual ? SOCCER_LENGTHS : { half, extra_half };
}
