/**
 * Lenient readers for the provider's loosely typed fields: an unreadable value is unknown (null), never a guess and
 * never an error. Numbers outside the range of the topic's type are unknown too.
 */
import { RESULT } from '#contract/soccer.ts';
import type { Participant, ResultTeam, Score } from '#topics/generated/types.ts';

const INT_MAX = 2 ** 31 - 1;
const DIGITS = /^-?\d{1,16}$/;

/** An integer, also written as text, within 64-bit safe range. */
export function long(value: unknown): number | null {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  // `+ 0` turns -0 into 0: both are the same value on a topic.
  return typeof number === 'number' && Number.isSafeInteger(number) ? number + 0 : null;
}

/** An integer, also written as text, within 32-bit range. */
export function int(value: unknown): number | null {
  const number = long(value);
  return number !== null && number <= INT_MAX && number >= -INT_MAX ? number : null;
}

/** A number of goals: an integer that is not negative. */
export function count(value: unknown): number | null {
  const number = int(value);
  return number !== null && number >= 0 ? number : null;
}

/** A text as it is; anything else is unknown. */
export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** An object whose fields may be read; null for everything else, arrays included. */
export function object(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** A list; any other value gives an empty one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Both sides of an event and the score the provider reports for them. */
export type Sides = {
  readonly home: Participant | null;
  readonly away: Participant | null;
  /** The provider's own result 2; null unless both sides have one. */
  readonly reported: Score | null;
  readonly table: TableSides;
};

/** What only tables need of both sides. */
type TableSides = {
  readonly home: ResultTeam | null;
  readonly away: ResultTeam | null;
  /** The provider's results 4 and 5; null unless both sides have one. */
  readonly first_half: Score | null;
  readonly second_half: Score | null;
};

/** Nothing is known of the sides. */
export const NO_SIDES: Sides = {
  home: null,
  away: null,
  reported: null,
  table: { home: null, away: null, first_half: null, second_half: null },
};

/** How the laws read the event fields that they know; all other fields stay unread. */
export const READERS = {
  name: text,
  sport_id: int,
  competition_id: long,
  season_id: long,
  stage_id: long,
  group_id: long,
  start_date: text,
  status_id: int,
  status_type: text,
  relation_status: text,
  bet_status: text,
  round_id: long,
  item_status: text,
  action: text,
  clock_time: int,
  clock_status: text,
  participants: readSides,
} as const satisfies Readonly<Record<string, (value: unknown) => unknown>>;

/** A field that the laws read, and its type. */
export type ReadField = keyof typeof READERS;
export type Reading<K extends ReadField> = ReturnType<(typeof READERS)[K]>;

/** Reads a field's value; undefined for a field the laws do not read. */
export function readField(name: string, value: unknown): unknown {
  return Object.hasOwn(READERS, name) ? READERS[name as ReadField](value) : undefined;
}

/** The sides in the event's `participants` value: counter 1 is home, 2 is away. */
export function readSides(value: unknown): Sides {
  const records = list(value).map(object);
  const home = records.find((record) => isSide(record, 1));
  const away = records.find((record) => isSide(record, 2));
  const scoreOf = (result: number): Score | null => {
    const [homeGoals, awayGoals] = [goalsOf(home?.results, result), goalsOf(away?.results, result)];
    return homeGoals === null || awayGoals === null ? null : { home: homeGoals, away: awayGoals };
  };
  return {
    home: readParticipant(home),
    away: readParticipant(away),
    reported: scoreOf(RESULT.score),
    table: {
      home: readTeam(home),
      away: readTeam(away),
      first_half: scoreOf(RESULT.firstHalf),
      second_half: scoreOf(RESULT.secondHalf),
    },
  };
}

type JsonRecord = ReturnType<typeof object>;

function isSide(record: JsonRecord, counter: number): boolean {
  return record !== null && int(record.counter) === counter && long(record.id) !== null;
}

function readParticipant(record: JsonRecord | undefined): Participant | null {
  const id = long(record?.id);
  if (!record || id === null) return null;
  return { id, name: text(record.name), short_name: text(record.short_name), acronym: text(record.acronym) };
}

function readTeam(record: JsonRecord | undefined): ResultTeam | null {
  const id = long(record?.id);
  if (!record || id === null) return null;
  const { name, acronym, area_id, area_name } = record;
  return {
    id,
    name: text(name),
    acronym: text(acronym),
    area_id: long(area_id),
    area_name: text(area_name),
  };
}

function goalsOf(results: unknown, id: number): number | null {
  const found = list(results).find((result) => int(object(result)?.id) === id);
  return count(object(found)?.value);
}
