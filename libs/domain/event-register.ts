import { canonicalJson } from '#contract/canonical-json.ts';
import { TouchlineError } from '#errors/touchline-error.ts';
import type { FieldsAt } from '#topics/generated/types.ts';
import { lowerBound } from './sorted.ts';

/** Thrown by the domain, always before it changes anything. */
export class DomainError extends TouchlineError<'DomainError'> {
  override readonly name = 'DomainError';
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has them as escapes only.
const PLAIN_TEXT = /"[^"\\\u0000-\u001f]*"(?=[,}])/y;
const PLAIN_NUMBER = /-?(?:0|[1-9][0-9]*)(?=[,}])/y;

/** The report time (`ut`) that all fields share which one part of a message reported last; `fields`: their number. */
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
type EventPart = {
  readonly text: string;
  readonly fields: readonly PartField[];
  /** The stamp of its fields when it was last reported. */
  stamp: Stamp;
};

/** What a message's event changed in the register. */
type FieldChanges = {
  /** Whether the value or the time of a field changed. */
  readonly changed: boolean;
  /** The fields with a new value. */
  readonly fields: readonly string[];
};

const NO_CHANGES: FieldChanges = { changed: false, fields: [] };

/**
 * Law 2: field by field, the value with the higher `ut` wins; at equal `ut` the larger canonical JSON. A message says nothing
 * about a field that it leaves out.
 *
 * Most parts of an event repeat byte for byte from message to message. Such a part is not parsed again: its fields
 * share one stamp, and only the stamp changes.
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
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index] ?? '';
      const last = this.#lastParts[index];
      if (last?.text === text) parts.push(last);
      else parts.push(readAtIndex(text, index, last));
    }
    return parts;
  }

  /** Applies the parts that `read` returned, reported at `ut` (Unix seconds). */
  apply(parts: readonly EventPart[], ut: number): FieldChanges {
    let changed = false;
    const fields: string[] = [];
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index];
      if (part === undefined || part.fields.length === 0) continue;
      const last = this.#lastParts[index];
      if (part === last && part.stamp.fields === part.fields.length) {
        // All fields of the part still have its values.
        if (ut > part.stamp.ut) {
          part.stamp.ut = ut;
          changed = true;
        }
        continue;
      }
      if (this.#applyEach(part, ut, fields)) changed = true;
      if (last === undefined || part.stamp.ut >= last.stamp.ut) this.#lastParts[index] = part;
    }
    return changed ? { changed, fields } : NO_CHANGES;
  }

  /** Returns the canonical JSON of a field's value; undefined if it was never reported. */
  json(name: string): string | undefined {
    return this.#fields.get(name)?.json;
  }

  /** Returns a field's value; undefined if it was never reported. */
  value(name: string): unknown {
    const json = this.json(name);
    return json === undefined ? undefined : JSON.parse(json);
  }

  /** Returns when the current value of a field was reported, Unix seconds; undefined if it never was. */
  reportedAt(name: string): number | undefined {
    return this.#fields.get(name)?.stamp.ut;
  }

  /** Returns all fields as canonical JSON objects, one for each report time, oldest first. */
  grouped(): FieldsAt[] {
    const groups = new Map<number, string>();
    for (const { member, json, stamp } of this.#sorted) {
      const group = groups.get(stamp.ut);
      groups.set(stamp.ut, group === undefined ? `{${member}${json}` : `${group},${member}${json}`);
    }
    return [...groups]
      .sort(([a], [b]) => a - b)
      .map(([ut, json]) => ({ ut, json: `${json}}`, message_id: null, progress: 0, text: null }));
  }

  /** Applies each field of a part by itself. Returns whether one of them was accepted. */
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

/** The last part that was parsed in full, by index: events of one provider have the same fields in the same order. */
const templates: EventPart[] = [];

/** Reads a part, faster if it has the fields of the last part at its index in this or any event. The result is the same. */
function readAtIndex(text: string, index: number, last: EventPart | undefined): EventPart {
  const template = last ?? templates[index];
  const similar = template === undefined ? null : readByTemplate(text, template);
  if (similar !== null) return similar;
  const part = readPart(text);
  templates[index] = part;
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
      // A part with one field is already canonical: so `participants`, the longest value, is not written again.
      const json = entries.length === 1 ? text.slice(1 + member.length, -1) : canonicalJson(one);
      return { name, member, json };
    });
    return { text, fields, stamp: { ut: 0, fields: 0 } };
  } catch (cause) {
    throw new DomainError('UNREADABLE_EVENT', 'an event part is not a JSON object', cause);
  }
}

/**
 * Reads a part that has the fields of an earlier part in the same order, as most parts do: a field with the same text is not
 * parsed again. Returns null if it has other fields, or if a new value is no plain number or text.
 */
function readByTemplate(text: string, { fields: before }: EventPart): EventPart | null {
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

/** Returns the end of the integer, or of the string without escapes, that begins at `start`; -1 if neither begins there. */
function endOfPlain(text: string, start: number): number {
  const isText = text.charCodeAt(start) === QUOTE;
  const pattern = isText ? PLAIN_TEXT : PLAIN_NUMBER;
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : -1;
}
