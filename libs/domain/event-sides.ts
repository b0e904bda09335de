/** Law 2: `participants` is decided a side at a time. Reads the sides of a message, and writes them again. */
import { canonicalJson } from '#json/canonical-json.ts';
import { int, list, long, object } from './values.ts';

/** The field with the sides of a match. */
export const PARTICIPANTS = 'participants';
export const PARTICIPANTS_MEMBER = `"${PARTICIPANTS}":`;
const RESULTS_MEMBER = '"results":';
/** Of results alone: the id of the team that they were reported of. */
const RESULTS_OF = 'results_of';

/** What a field of the register is about: the event, or one side of its `participants`. */
type FieldOf = {
  /** The side's `counter`; null for a field of the event. */
  readonly side: number | null;
  /** Of a side: whether it is its `results`, or all its other fields. */
  readonly isResults: boolean;
  /** Of a side: the id of its team; null where the message names none. Results belong to their team, whatever side it becomes. */
  readonly team: number | null;
};

/** A field in a message. */
export type PartField = FieldOf & {
  /** The name in the event; `participants` for a field of a side. */
  readonly name: string;
  /** The name with its colon, as the start of a JSON member. */
  readonly member: string;
  /** Canonical JSON of the value; of a side without its `results`. */
  readonly json: string;
  /** Canonical JSON of the value as reported; of a side with its `results`. */
  readonly whole: string;
};

/**
 * Returns the fields of the sides: of each counter the first participant that has an id, or nothing but results; of each team the
 * first results. A list without a side, or a side without results, reports nothing about what it leaves out. `isExact`: whether the
 * fields give the list again.
 */
export function fieldsOfSides(value: unknown): {
  readonly fields: readonly PartField[];
  readonly isExact: boolean;
} {
  const sides = new Map<number, PartField[]>();
  for (const item of list(value)) {
    const record = object(item);
    const side = int(record?.counter);
    if (record === null || side === null || side < 0 || sides.has(side)) continue;
    const fields = fieldsOfSide(side, record);
    if (fields.length > 0) sides.set(side, fields);
  }
  const teams = new Set<number>();
  const fields = [...sides]
    .sort(([a], [b]) => a - b)
    .flatMap(([, ofSide]) => ofSide)
    .filter(({ isResults, team }) => {
      if (!isResults || team === null) return true;
      const isFirst = !teams.has(team);
      teams.add(team);
      return isFirst;
    });
  return { fields, isExact: fields.length > 0 && canonicalJson(value) === joinSides(fields) };
}

function fieldsOfSide(side: number, record: Readonly<Record<string, unknown>>): PartField[] {
  const { results, ...others } = record;
  const whole = canonicalJson(record);
  const fields: PartField[] = [];
  const id = long(record.id);
  const team = id ?? long(record[RESULTS_OF]);
  if (id !== null) fields.push(fieldOf({ side, isResults: false, team }, canonicalJson(others), whole));
  else if (Object.keys(others).length > (team === null ? 1 : 2)) return [];
  if (list(results).length > 0)
    fields.push(fieldOf({ side, isResults: true, team }, canonicalJson(results), whole));
  return fields;
}

function fieldOf({ side, isResults, team }: FieldOf, json: string, whole: string): PartField {
  return { name: PARTICIPANTS, member: PARTICIPANTS_MEMBER, json, side, isResults, team, whole };
}

/** Returns the canonical JSON of the sides that one message reported. `fields`: in the order of sides, of each the results last. */
export function joinSides(fields: readonly PartField[]): string {
  const sides: string[] = [];
  for (const [at, { side, isResults, team, json, whole }] of fields.entries()) {
    if (isResults) {
      const of = team === null ? '' : `,"${RESULTS_OF}":${team}`;
      if (fields[at - 1]?.side !== side) sides.push(`{"counter":${side},"results":${json}${of}}`);
    } else sides.push(fields[at + 1]?.side === side ? whole : json);
  }
  return `[${sides.join(',')}]`;
}

/**
 * Reads a part that differs from an earlier one in the `results` of its sides only, as most do: nothing else of them is parsed or
 * written again. Returns null if anything else differs. `fields`: of the earlier part, which had the two fields of each side.
 */
export function readSidesByTemplate(text: string, fields: readonly PartField[]): PartField[] | null {
  const now: PartField[] = [];
  let at = `{${PARTICIPANTS_MEMBER}[`.length;
  if (!text.startsWith(`{${PARTICIPANTS_MEMBER}[`)) return null;
  for (let index = 0; index < fields.length; index += 2) {
    const own = fields[index];
    const results = fields[index + 1];
    if (own?.side == null || own.isResults || results?.side !== own.side) return null;
    const isLast = index + 2 === fields.length;
    const end = isLast ? ']}' : ',';
    if (text.startsWith(own.whole, at) && text.startsWith(end, at + own.whole.length)) {
      now.push(own, results);
      at += own.whole.length + end.length;
      continue;
    }
    const start = startOfResults(own, results);
    if (start < 0 || !text.startsWith(own.whole.slice(0, start), at)) return null;
    const after = own.whole.slice(start + results.json.length);
    const stop = isLast ? text.lastIndexOf(after + end) : text.indexOf(after + end, at + start);
    if (stop < 0) return null;
    const json = text.slice(at + start, stop);
    if (!isFilledList(json)) return null;
    const whole = text.slice(at, stop + after.length);
    now.push(fieldOf(own, own.json, whole), fieldOf(results, json, whole));
    at = stop + after.length + end.length;
  }
  return at === text.length ? now : null;
}

/** Returns where the value of a side's `results` begins in the side's text: without that member the text is that of the others. */
function startOfResults({ whole, json }: PartField, results: PartField): number {
  const member = RESULTS_MEMBER + results.json;
  for (let at = whole.indexOf(member); at >= 0; at = whole.indexOf(member, at + 1)) {
    const before = whole.slice(0, at);
    const after = whole.slice(at + member.length);
    // One of the two commas around the member goes with it.
    const others = after.startsWith(',') ? before + after.slice(1) : before.slice(0, -1) + after;
    if (others === json) return at + RESULTS_MEMBER.length;
  }
  return -1;
}

function isFilledList(json: string): boolean {
  try {
    return list(JSON.parse(json)).length > 0;
  } catch {
    return false;
  }
}
