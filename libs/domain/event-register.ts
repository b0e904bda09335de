import type { FieldsAt } from '#topics/generated/types.ts';
import { DomainError } from './errors.ts';
import { membersOf } from './json-members.ts';
import { type ReadField, type Reading, readField } from './readings.ts';
import { object } from './values.ts';

/** The time that told fields, shared by all fields that one part of a message told last. */
type Stamp = { ut: number; fields: number };

type Field = {
  readonly name: string;
  /** The name as the start of a JSON member. */
  readonly member: string;
  stamp: Stamp;
  /** Canonical JSON of the value. */
  json: string;
  /** What the laws read of the value. */
  reading: unknown;
};

/** One part of a message's event: some of its fields, as one canonical JSON text. */
export type EventPart = {
  readonly text: string;
  readonly fields: readonly Pick<Field, 'name' | 'json' | 'reading'>[];
  /** The stamp its fields got when it was told last. */
  stamp: Stamp;
};

/** What a message's event changed in the register. */
export type FieldChanges = {
  /** Something remembered changed, be it only the time of a field. */
  readonly changed: boolean;
  /** The fields with a new value. */
  readonly fields: readonly string[];
};

const NO_CHANGES: FieldChanges = { changed: false, fields: [] };

/**
 * Law 2: field by field, the value with the higher `ut` wins, equal times by the larger canonical JSON. A field absent
 * from a message says nothing about that field.
 *
 * Most parts of an event repeat to the letter from message to message. Such a part is neither read nor taken apart: its
 * fields share one stamp, and only that moves.
 */
export class EventRegister {
  readonly #fields = new Map<string, Field>();
  /** The fields by name. */
  readonly #sorted: Field[] = [];
  /** The part told last, by its place in the message. */
  readonly #lastParts: (EventPart | undefined)[] = [];

  /** The register that `grouped()` wrote down. */
  static restore(groups: readonly FieldsAt[]): EventRegister {
    const register = new EventRegister();
    for (const { ut, json } of groups) register.#applyEach(readPart(json), ut, []);
    return register;
  }

  /** Reads the parts of a message without changing anything. Throws `DomainError` UNREADABLE_EVENT. */
  read(texts: readonly string[]): EventPart[] {
    const parts: EventPart[] = [];
    for (let place = 0; place < texts.length; place++) {
      const text = texts[place] ?? '';
      const last = this.#lastParts[place];
      parts.push(last?.text === text ? last : readPart(text));
    }
    return parts;
  }

  /** Applies what `read` has read. */
  apply(parts: readonly EventPart[], ut: number): FieldChanges {
    let changed = false;
    const fields: string[] = [];
    for (let place = 0; place < parts.length; place++) {
      const part = parts[place];
      if (part === undefined || part.fields.length === 0) continue;
      const last = this.#lastParts[place];
      if (part === last && part.stamp.fields === part.fields.length) {
        // All its fields still stand as this very text told them.
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

  /** The canonical JSON of a field's value; undefined where it was never told. */
  json(name: string): string | undefined {
    return this.#fields.get(name)?.json;
  }

  /** What the laws read of a field's value; undefined where it was never told. */
  reading<K extends ReadField>(name: K): Reading<K> | undefined {
    // Written by `readField` of the same name.
    return this.#fields.get(name)?.reading as Reading<K> | undefined;
  }

  /** When the standing value of a field was told, Unix seconds. */
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

  /** Tells each field of a part by itself; true where one of them was accepted. */
  #applyEach(part: EventPart, ut: number, changedFields: string[]): boolean {
    const stamp: Stamp = { ut, fields: 0 };
    part.stamp = stamp;
    for (const { name, json, reading } of part.fields) {
      const field = this.#fields.get(name);
      if (field === undefined) {
        this.#add({ name, member: `${JSON.stringify(name)}:`, stamp, json, reading });
        changedFields.push(name);
      } else if (ut > field.stamp.ut || (ut === field.stamp.ut && json > field.json)) {
        field.stamp.fields -= 1;
        field.stamp = stamp;
        if (field.json !== json) {
          field.json = json;
          field.reading = reading;
          changedFields.push(name);
        }
      } else continue;
      stamp.fields += 1;
    }
    return stamp.fields > 0;
  }

  #add(field: Field): void {
    this.#fields.set(field.name, field);
    this.#sorted.push(field);
    this.#sorted.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function readPart(text: string): EventPart {
  try {
    const value = object(JSON.parse(text));
    if (value === null) throw new TypeError('not an object');
    const fields = membersOf(text, value).map(([name, json]) => ({
      name,
      json,
      reading: readField(name, value[name]),
    }));
    return { text, fields, stamp: { ut: 0, fields: 0 } };
  } catch (cause) {
    throw new DomainError('UNREADABLE_EVENT', 'an event part is not a JSON object', cause);
  }
}
