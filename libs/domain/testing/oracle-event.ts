import { canonicalJson } from '#json/canonical-json.ts';
import type { Event, MatchState, NormalizedMessage } from '#records/types.ts';
import { eventObject, NO_EVENT } from '../event.ts';
import { compare } from './oracle-rules.ts';

/** Law 2 as the oracle states it: over all messages of an event at once. */

/** A message with what orders it. */
type OracleMessage = {
  readonly ut: number;
  readonly id: number | null;
  readonly progress: number;
  readonly reported: Event;
  /** As the contract writes it. */
  readonly event: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** What it reports, by slot: a field's name, or `participants`, the side and what of it. */
  readonly slots: ReadonlyMap<string, OracleSlot>;
};

type OracleSlot = {
  readonly name: string;
  readonly side?: number;
  /** Of results: the id of the team in the message; null without one. Absent for anything else. */
  readonly resultsOf?: number | null;
  readonly json: string;
};

/** The latest report of each slot. */
export type OracleFields = ReadonlyMap<string, { readonly from: OracleMessage; readonly json: string }>;

const ALWAYS_KNOWN = ['status_id', 'status_type', 'sport_id', 'competition_id', 'season_id', 'stage_id'];
const FINISHED = [7, 11, 12, 13, 14, 140];

/** Types of the statuses that the messages have. */
export const TYPE_OF: Readonly<Record<number, string>> = {
  1: 'scheduled',
  2: 'interrupted',
  5: 'scheduled',
  7: 'finished',
  9: 'live',
  11: 'finished',
  12: 'finished',
  13: 'finished',
  33: 'live',
  34: 'live',
  141: 'live',
};
/** Statuses of a live match in their order, from 2 on. */
const COURSE = [33, 9, 34, 48, 35, 37, 36, 142, 141];
const PROGRESS: Readonly<Record<string, number>> = {
  scheduled: 1,
  live: 2,
  interrupted: 20,
  cancelled: 21,
  finished: 30,
  deleted: 31,
};

/** Law 8: whether a match is finished. */
export function isOver(statusId: number | null, statusType: string | null): boolean {
  return statusType === 'finished' || FINISHED.includes(statusId ?? 0);
}

function progressOf(statusId: number | null, statusType: string | null): number {
  if (isOver(statusId, statusType)) return 30;
  const index = COURSE.indexOf(statusId ?? 0);
  return index >= 0 ? index + 2 : (PROGRESS[TYPE_OF[statusId ?? 0] ?? statusType ?? ''] ?? 0);
}

/** Returns all messages of an event in their order. */
export function orderMessages(messages: readonly NormalizedMessage[]): OracleMessage[] {
  const all = messages.map(({ ut, message_id, event: given }): OracleMessage => {
    const reported = given ?? NO_EVENT;
    const event = eventObject(reported);
    return {
      reported,
      ut,
      id: numberOf(message_id),
      progress: progressOf(numberOf(event.status_id), textOf(event.status_type)),
      event,
      text: canonicalJson(event),
      slots: slotsOf(event),
    };
  });
  const rank = ({ id }: OracleMessage): number => id ?? Number.POSITIVE_INFINITY;
  return all.sort(
    (a, b) =>
      a.ut - b.ut ||
      (rank(a) === rank(b) ? 0 : rank(a) - rank(b)) ||
      a.progress - b.progress ||
      compare(a.text, b.text),
  );
}

function slotsOf(event: OracleMessage['event']): Map<string, OracleSlot> {
  const slots = new Map<string, OracleSlot>();
  for (const [name, value] of Object.entries(event)) {
    if (name === 'participants' || (value === null && ALWAYS_KNOWN.includes(name))) continue;
    slots.set(`field ${name}`, { name, json: canonicalJson(value) });
  }
  const taken = new Map<number, { team: number | null; others: object; results: unknown[] | null }>();
  for (const item of Array.isArray(event.participants) ? event.participants : []) {
    const side = numberOf(item?.counter);
    if (side === null || taken.has(side)) continue;
    const { results, ...others } = item;
    const team = numberOf(item.id);
    const hasResults = Array.isArray(results) && results.length > 0;
    // Of a side without an id, results alone say something; its lists are there, full or empty.
    const isNamed = Object.keys(others).some((name) => name !== 'counter' && name !== 'stats');
    if (team === null && (isNamed || !hasResults)) continue;
    taken.set(side, { team, others, results: hasResults ? results : null });
  }
  for (const [side, { team, others, results }] of [...taken].sort(([a], [b]) => a - b)) {
    const name = 'participants';
    if (team !== null) slots.set(`side ${side}`, { name, side, json: canonicalJson(others) });
    const slot = resultsSlot(side, team);
    if (results !== null && !slots.has(slot))
      slots.set(slot, { name, side, resultsOf: team, json: canonicalJson(results) });
  }
  return slots;
}

/** Law 2: results belong to the team of their message; without one to the counter. */
function resultsSlot(side: number, team: number | null): string {
  return team === null ? `results at ${side}` : `results of ${team}`;
}

/** Law 2: the results of a side, wherever its team was when they were reported. */
export function resultsOfSide(fields: OracleFields, ordered: readonly OracleMessage[], side: number) {
  const own = fields.get(`side ${side}`);
  const team = own === undefined ? null : numberOf(JSON.parse(own.json).id);
  const ofTeam = team === null ? undefined : fields.get(resultsSlot(side, team));
  const ofCounter = fields.get(resultsSlot(side, null));
  if (ofTeam === undefined || ofCounter === undefined) return ofTeam ?? ofCounter;
  const isLater = ordered.indexOf(ofCounter.from) > ordered.indexOf(ofTeam.from);
  return isLater && !isSameMessage(ofCounter.from, ofTeam.from) ? ofCounter : ofTeam;
}

function isSameMessage(a: OracleMessage, b: OracleMessage): boolean {
  return a.ut === b.ut && a.id === b.id && a.text === b.text;
}

/** Law 2: the latest report of each slot. */
export function latestFields(ordered: readonly OracleMessage[]): OracleFields {
  return new Map(
    ordered.flatMap((from) => [...from.slots].map(([slot, { json }]) => [slot, { from, json }] as const)),
  );
}

/** Returns the memory of the event register. */
export function reportsOf(ordered: readonly OracleMessage[], fields: OracleFields): MatchState['reports'] {
  const deciding = new Set([...fields.values()].map(({ from }) => from));
  return ordered
    .filter((one) => deciding.has(one))
    .map(({ ut, id, reported }) => ({ ut, message_id: id, event: reported }));
}

/** Returns a whole number, given as a number or as digits; null for anything else. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^[0-9]+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : null;
}

/** Returns a text; null for anything else. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Returns the Unix milliseconds of `YYYY-MM-DD HH:MM`, UTC; null of another text, and of a time that no calendar has. */
export function instantOf(text: string | null): number | null {
  const [, year, month, day, hour, minute] = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d)$/.exec(text ?? '') ?? [];
  const time = new Date(0);
  time.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  time.setUTCHours(Number(hour), Number(minute));
  const isOfCalendar = time.getUTCDate() === Number(day) && time.getUTCHours() === Number(hour);
  return isOfCalendar && time.getUTCMonth() === Number(month) - 1 && time.getUTCMinutes() === Number(minute)
    ? time.getTime()
    : null;
}
