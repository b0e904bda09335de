/** Reads the parts of a message's event into fields, each with its canonical JSON. */

import { canonicalJson } from '#json/canonical-json.ts';
import { DomainError } from './errors.ts';
import { fieldsOfSides, PARTICIPANTS, type PartField, readSidesByTemplate } from './event-sides.ts';
import { type MatchStage, progressOf, stageOf } from './message-key.ts';
import { int, object, text as readText } from './values.ts';

const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has them as escapes only.
const PLAIN_TEXT = /"[^"\\\u0000-\u001f]*"(?=[,}])/y;
const PLAIN_NUMBER = /-?(?:0|[1-9][0-9]*)(?=[,}])/y;

/** The fields of the match's status. */
const STATUS: ReadonlySet<string> = new Set(['status_id', 'status_type']);

/** Fields that the provider always knows: null reports nothing about them (law 2). */
const ALWAYS_KNOWN: ReadonlySet<string> = new Set([
  'status_id',
  'status_type',
  'sport_id',
  'competition_id',
  'season_id',
  'stage_id',
]);

/** One part of a message's event: some of its fields, as one canonical JSON text. */
export type EventPart = {
  readonly text: string;
  readonly fields: readonly PartField[];
  /** Whether the fields give the text again: it has nothing that reports nothing. */
  readonly isExact: boolean;
  /** See `progressOf`; 0 without a status. */
  readonly progress: number;
  readonly stage: MatchStage | null;
};

/** The last part that was parsed in full, by index: events of one provider have the same fields in the same order. */
const templates: EventPart[] = [];

/** Reads a part, faster if it has the fields of the last part at its index in this or any event. The result is the same. */
export function readAtIndex(text: string, index: number, last: EventPart | undefined): EventPart {
  const template = last ?? templates[index];
  const similar = template === undefined ? null : readByTemplate(text, template);
  if (similar !== null) return similar;
  const part = readPart(text);
  templates[index] = part;
  return part;
}

/** Reads a part in full. Throws `DomainError` UNREADABLE_EVENT. */
export function readPart(text: string): EventPart {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DomainError('UNREADABLE_EVENT', 'an event part is not JSON', cause);
  }
  const record = object(value);
  if (record === null) throw new DomainError('UNREADABLE_EVENT', 'an event part is not a JSON object');
  const entries = Object.entries(record);
  let isExact = true;
  const fields = entries.flatMap(([name, one]): readonly PartField[] => {
    if (name === PARTICIPANTS) {
      const sides = fieldsOfSides(one);
      isExact &&= sides.isExact;
      return sides.fields;
    }
    if (one === null && ALWAYS_KNOWN.has(name)) {
      isExact = false;
      return [];
    }
    const member = memberOf(name);
    // A part with one field is already canonical: it is not written again.
    const json = entries.length === 1 ? text.slice(1 + member.length, -1) : canonicalJson(one);
    return [{ name, member, json, side: null, isResults: false, team: null, whole: json }];
  });
  return partOf(text, fields, isExact);
}

function memberOf(name: string): string {
  return `${JSON.stringify(name)}:`;
}

function partOf(text: string, fields: readonly PartField[], isExact: boolean): EventPart {
  let statusId: number | null = null;
  let statusType: string | null = null;
  for (const { name, json } of fields) {
    if (name === 'status_id') statusId = int(JSON.parse(json));
    else if (name === 'status_type') statusType = readText(JSON.parse(json));
  }
  const progress = progressOf(statusId, statusType);
  return { text, fields, isExact, progress, stage: stageOf(statusId, statusType) };
}

/**
 * Reads a part that has the fields of an earlier part in the same order, as most parts do: a field with the same text is not
 * parsed again. Returns null if it has other fields, or if a new value is neither a plain number or text nor the results of a side.
 */
function readByTemplate(text: string, template: EventPart): EventPart | null {
  if (template.fields[0]?.side != null) {
    const sides = template.isExact ? readSidesByTemplate(text, template.fields) : null;
    return sides === null ? null : { ...template, text, fields: sides };
  }
  const fields: PartField[] = [];
  let isSameStatus = true;
  let at = 0;
  for (const field of template.fields) {
    const { name, member, json, side } = field;
    if (side !== null || text.charCodeAt(at) !== (at === 0 ? OPEN_BRACE : COMMA)) return null;
    if (!text.startsWith(member, at + 1)) return null;
    const start = at + 1 + member.length;
    at = start + json.length;
    const next = text.charCodeAt(at);
    if ((next === COMMA || next === CLOSE_BRACE) && text.startsWith(json, start)) {
      fields.push(field);
      continue;
    }
    at = endOfPlain(text, start);
    if (at < 0) return null;
    const whole = text.slice(start, at);
    fields.push({ name, member, json: whole, side: null, isResults: false, team: null, whole });
    if (STATUS.has(name)) isSameStatus = false;
  }
  if (text.charCodeAt(at) !== CLOSE_BRACE || at !== text.length - 1) return null;
  return isSameStatus ? { ...template, text, fields, isExact: true } : partOf(text, fields, true);
}

/** Returns the end of the integer, or of the string without escapes, that begins at `start`; -1 if neither begins there. */
function endOfPlain(text: string, start: number): number {
  const isText = text.charCodeAt(start) === QUOTE;
  const pattern = isText ? PLAIN_TEXT : PLAIN_NUMBER;
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : -1;
}
