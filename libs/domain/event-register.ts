import { canonicalJson } from '#contract/canonical-json.ts';
import type { FieldsAt } from '#topics/generated/types.ts';
import { DomainError } from './errors.ts';
import { lowerBound } from './sorted.ts';

const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has them as escapes only.
const PLAIN_TEXT = /"[^"\\\u0000-\u001f]*"(?=[,}])/y;
const PLAIN_NUMBER = /-?(?:0|[1-9][0-9]*)(?=[,}])/y;

/** The report time (`ut`) shared by all fields last reported by one part of a message. */
type Stamp = { ut: number; fields: number };

type Field = {
  readonly name: string;
  /** The name with its colon, as the start of a JSON member. */
  readonly member: string;
  stamp: Stamp;
  /** Canonical JSON of the value. */
  json: string;
};

/** A field in a message. */
type PartField = Pick<Field, 'name' | 'member' | 'json'>;

/** One part of a message's event: some of its fields, as one canonical JSON text. */
export type EventPart = {
  readonly text: string;
  readonly fields: readonly PartField[];
  /** The stamp its fields got when it was last reported. */
  stamp: Stamp;
};

/** What a message's event changed in the register. */
export type FieldChanges = {
  /** A stored value or the time of a field changed. */
  readonly changed: boolean;
  /** The fields with a new value. */
  readonly fields: readonly string[];
};

const NO_CHANGES: FieldChanges = { changed: false, fields: [] };

/**
 * Law 2: field by field, the value with the higher `ut` wins, equal times by the larger canonical JSON. A field absent
 * from a message says nothing about that field.
 *
 * Most parts of an event repeat byte for byte from message to message. Such a part is not parsed again: its fields
 * share one stamp, and only that moves.
 */
export class EventRegister {
  readonly #fields = new Map<string, Field>();
  /** The fields by name. */
  readonly #sorted: Field[] = [];
  /** The last reported part, by its index in the message. */
  readonly #lastParts: (EventPart | undefined)[] = [];

  /** Restores a register from `grouped()`. */
  static restore(groups: readonly FieldsAt[]): EventRegister {
    const register = new EventRegister();
    for (const { ut, json } of groups) register.#applyEach(readPart(json), ut, []);
    return register;
  }

  /** Parses the parts of a message; changes nothing. Throws `DomainError` UNREADABLE_EVENT. */
  read(texts: readonly string[]): EventPart[] {
    const parts: EventPart[] = [];
    for (let place = 0; place < texts.length; place++) {
      const text = texts[place] ?? '';
      const last = this.#lastParts[place];
      if (last?.text === text) parts.push(last);
      else parts.push(readAtPlace(text, place, last));
    }
    return parts;
  }

  /** Applies the parts that `read` returned, reported at `ut` (Unix seconds). */
  apply(parts: readonly EventPart[], ut: number): FieldChanges {
    let changed = false;
    const fields: string[] = [];
    for (let place = 0; place < parts.length; place++) {
      const part = parts[place];
      if (part === undefined || part.fields.length === 0) continue;
      const last = this.#lastParts[place];
      if (part === last && part.stamp.fields === part.fields.length) {
        // All its fields still have the values of this text.
        if (ut > part.stamp.ut) {
          part.stamp.ut = ut;
          changed = true;
        }
        continue;
      }
      if (this.#applyEach(part, ut, fields)) changed = true;
      if (last === undefined || part.stamp.ut >= last.stamp.ut) this.#lastParts[place] = part;
    }
    return changed ? { changed, fields } : NO_CHANGES;
  }

  /** The canonical JSON of a field's value; undefined where it was never reported. */
  json(name: string): string | undefined {
    return this.#fields.get(name)?.json;
  }

  /** A field's value; undefined where it was never reported. */
  value(name: string): unknown {
    const json = this.json(name);
    return json === undefined ? undefined : JSON.parse(json);
  }

  /** When the current value of a field was reported, Unix seconds. */
  reportedAt(name: string): number | undefined {
    return this.#fields.get(name)?.stamp.ut;
  }

  /** All fields as canonical JSON objects grouped by time, oldest first: a pure function of the register. */
  grouped(): FieldsAt[] {
    const groups = new Map<number, string>();
    for (const { member, json, stamp } of this.#sorted) {
      const group = groups.get(stamp.ut);
      groups.set(stamp.ut, group === undefined ? `{${member}${json}` : `${group},${member}${json}`);
    }
    return [...groups].sort(([a], [b]) => a - b).map(([ut, json]) => ({ ut, json: `${json}}` }));
  }

  /** Applies each field of a part on its own; true where one of them was accepted. */
  #applyEach(part: EventPart, ut: number, changedFields: string[]): boolean {
    const stamp: Stamp = { ut, fields: 0 };
    part.stamp = stamp;
    for (const { name, member, json } of part.fields) {
      const field = this.#fields.get(name);
      if (field === undefined) {
        this.#add({ name, member, stamp, json });
        changedFields.push(name);
      } else if (ut > field.stamp.ut || (ut === field.stamp.ut && json > field.json)) {
        field.stamp.fields -= 1;
        field.stamp = stamp;
        if (field.json !== json) {
          field.json = json;
          changedFields.push(name);
        }
      } else continue;
      stamp.fields += 1;
    }
    return stamp.fields > 0;
  }

  #add(field: Field): void {
    this.#fields.set(field.name, field);
    const at = lowerBound(this.#sorted, ({ name }) => name < field.name);
    this.#sorted.splice(at, 0, field);
  }
}

/** The fields of the last part at each place that was read in full: events of one provider have the same, in the same order. */
const shapes: EventPart[] = [];

/** Reads a part by the one before it at its place in the same event, or in any other. The result is the same without. */
function readAtPlace(text: string, place: number, last: EventPart | undefined): EventPart {
  const shape = last ?? shapes[place];
  const alike = shape === undefined ? null : readAlike(text, shape);
  if (alike !== null) return alike;
  const part = readPart(text);
  shapes[place] = part;
  return part;
}

function readPart(text: string): EventPart {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new TypeError('not an object');
    const entries = Object.entries(value);
    const fields = entries.map(([name, one]) => {
      const member = `${JSON.stringify(name)}:`;
      // `participants`, the longest value, comes in a part of its own.
      const json = entries.length === 1 ? text.slice(1 + member.length, -1) : canonicalJson(one);
      return { name, member, json };
    });
    return { text, fields, stamp: { ut: 0, fields: 0 } };
  } catch (cause) {
    throw new DomainError('UNREADABLE_EVENT', 'an event part is not a JSON object', cause);
  }
}

/**
 * Reads a part that has the fields of an earlier one in their order, as most have: a field with the same text is not
 * parsed again. Null where another field, or a value that is no plain number or text, must be parsed.
 */
function readAlike(text: string, { fields: before }: EventPart): EventPart | null {
  const fields: PartField[] = [];
  let at = 0;
  for (const field of before) {
    const { name, member, json } = field;
    if (text.charCodeAt(at) !== (at === 0 ? OPEN_BRACE : COMMA) || !text.startsWith(member, at + 1))
      return null;
    const start = at + 1 + member.length;
    at = start + json.length;
    const next = text.charCodeAt(at);
    if ((next === COMMA || next === CLOSE_BRACE) && text.startsWith(json, start)) {
      fields.push(field);
      continue;
    }
    at = endOfPlain(text, start);
    if (at < 0) return null;
    fields.push({ name, member, json: text.slice(start, at) });
  }
  if (text.charCodeAt(at) !== CLOSE_BRACE || at !== text.length - 1) return null;
  return { text, fields, stamp: { ut: 0, fields: 0 } };
}

/** Where the number without a fraction, or the string without an escape, that begins at `start` ends; -1 without one. */
function endOfPlain(text: string, start: number): number {
  const isText = text.charCodeAt(start) === QUOTE;
  const pattern = isText ? PLAIN_TEXT : PLAIN_NUMBER;
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : -1;
}
