import { canonicalJson } from '#json/canonical-json.ts';
import type { FieldsAt } from '#records/types.ts';
import { type EventPart, readAtIndex, readPart } from './event-parts.ts';
import { joinSides, PARTICIPANTS_MEMBER, type PartField } from './event-sides.ts';
import { compareKeys, comparePositions, type MessageKey, type MessagePosition } from './message-key.ts';
import { lowerBound } from './sorted.ts';

/** The report that all fields share which one part of a message reported last; `fields`: their number. */
type Stamp = { report: Report; fields: number };

/** A field with its current value. */
type Field = { current: PartField; stamp: Stamp };

/** A side of the event's `participants`. */
export type SideFields = { readonly side: number; own: Field | null; results: Field | null };

/** What a message's event changed in the register. */
type FieldChanges = {
  /** Whether the register changed: the value or the time of a field, or the first report of the end. */
  readonly changed: boolean;
  /** The fields with a new value. */
  readonly fields: readonly string[];
  /** The fields that an earlier applied message of the same second decides; of a side e.g. `participants.1.results`. */
  readonly outranked: readonly string[];
};

/** The message that reported fields. */
class Report implements MessageKey {
  readonly ut: number;
  readonly messageId: number | null;
  readonly progress: number;
  /** Number of fields that the message reported; 0 if it is not known, or if they are not its whole event. */
  readonly total: number;
  /** The texts of its parts alone: their fields would be kept long after a later message replaced them. */
  readonly #parts: readonly string[];
  #text: string | null;

  constructor(
    position: MessagePosition,
    progress: number,
    total: number,
    parts: readonly string[],
    text: string | null,
  ) {
    this.ut = position.ut;
    this.messageId = position.messageId;
    this.progress = progress;
    this.total = total;
    this.#parts = parts;
    this.#text = text;
  }

  /** Returns the report of a message with these parts. */
  static of(position: MessagePosition, parts: readonly EventPart[]): Report {
    let progress = 0;
    let total = 0;
    let isExact = true;
    for (const part of parts) {
      if (part.progress > progress) progress = part.progress;
      total += part.fields.length;
      isExact &&= part.isExact;
    }
    return new Report(
      position,
      progress,
      isExact ? total : 0,
      parts.map(({ text }) => text),
      null,
    );
  }

  /** Restores the report of a group of fields. */
  static restore({ ut, message_id, progress, json, text }: FieldsAt, part: EventPart): Report {
    const position = { ut, messageId: message_id };
    return new Report(position, progress, text === null ? part.fields.length : 0, [part.text], text ?? json);
  }

  get text(): string {
    this.#text ??= canonicalJson(Object.assign({}, ...this.#parts.map((text) => JSON.parse(text))));
    return this.#text;
  }

  /** Whether this report comes after another one (law 2). Equal parts are not written again. */
  isAfter(other: Report): boolean {
    const order = comparePositions(this, other) || this.progress - other.progress;
    if (order !== 0) return order > 0;
    const isSame =
      this === other ||
      (this.#parts.length === other.#parts.length &&
        this.#parts.every((text, at) => text === other.#parts[at]));
    return !isSame && compareKeys(this, other) > 0;
  }
}

/**
 * Law 2: field by field, the value of the latest message wins: by `ut`, message id, progress of its status, and the canonical text of
 * its event. So the fields of a message win or lose together against another message. A message says nothing about a field that
 * it leaves out. `participants` is decided a side at a time, and within a side `results` apart from the rest.
 *
 * Most parts of an event repeat byte for byte from message to message. Such a part is not parsed again: its fields
 * share one stamp, and only the stamp changes.
 */
export class EventRegister {
  /** The fields of the event by name, without `participants`. */
  readonly #fields = new Map<string, Field>();
  /** Their names in order, and `participants` if a side is known. */
  readonly #names: string[] = [];
  /** In the order of their counters. */
  readonly #sides: SideFields[] = [];
  /** The last reported part and the stamp of its fields, by its index in the message. */
  readonly #last: ({ readonly part: EventPart; readonly stamp: Stamp } | undefined)[] = [];
  #firstFinished: MessagePosition | null = null;

  /** Restores a register from `grouped()` and `firstFinished`. */
  static restore(groups: readonly FieldsAt[], firstFinished: MessagePosition | null = null): EventRegister {
    const register = new EventRegister();
    register.merge(groups);
    register.#firstFinished = firstFinished;
    return register;
  }

  /** Applies the fields of another register, as its `grouped()` gives them. */
  merge(groups: readonly FieldsAt[]): void {
    for (const group of groups) {
      const part = readPart(group.json);
      this.#applyEach(part, Report.restore(group, part), [], []);
    }
  }

  /** The earliest report that the match is finished; null without one. */
  get firstFinished(): MessagePosition | null {
    return this.#firstFinished;
  }

  /** The known sides of `participants`, in the order of their counters. */
  get sides(): readonly SideFields[] {
    return this.#sides;
  }

  /** Returns the fields of the side with a counter; undefined while it is unknown. */
  side(counter: number): SideFields | undefined {
    for (const fields of this.#sides) if (fields.side === counter) return fields;
    return undefined;
  }

  /** Parses the parts of a message; changes nothing. Throws `DomainError` UNREADABLE_EVENT. */
  read(texts: readonly string[]): EventPart[] {
    const parts: EventPart[] = [];
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index] ?? '';
      const last = this.#last[index]?.part;
      parts.push(last?.text === text ? last : readAtIndex(text, index, last));
    }
    return parts;
  }

  /** Applies the parts that `read` returned, of the message at `position`. */
  apply(parts: readonly EventPart[], position: MessagePosition): FieldChanges {
    const report = Report.of(position, parts);
    let changed = false;
    const fields: string[] = [];
    const outranked: string[] = [];
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index];
      if (part === undefined || part.fields.length === 0) continue;
      if (part.isFinished && this.#finishedBefore(position)) changed = true;
      const last = this.#last[index];
      if (part === last?.part && last.stamp.fields === part.fields.length) {
        // All fields of the part still have its values.
        if (report.isAfter(last.stamp.report)) {
          last.stamp.report = report;
          changed = true;
        } else if (isOutranked(report, last.stamp.report)) outranked.push(...part.fields.map(slotOf));
        continue;
      }
      const lastReport = last?.stamp.report;
      const stamp = this.#applyEach(part, report, fields, outranked);
      if (stamp.fields > 0) changed = true;
      if (lastReport === undefined || comparePositions(report, lastReport) >= 0)
        this.#last[index] = { part, stamp };
    }
    return { changed, fields, outranked };
  }

  /** Returns the canonical JSON of a field's value; undefined if it was never reported. Not for `participants`. */
  json(name: string): string | undefined {
    return this.#fields.get(name)?.current.json;
  }

  /** Returns a field's value; undefined if it was never reported. Not for `participants`. */
  value(name: string): unknown {
    const json = this.json(name);
    return json === undefined ? undefined : JSON.parse(json);
  }

  /** Returns the message that reported the current value of a field; undefined if none did. */
  report(name: string): MessagePosition | undefined {
    return this.#fields.get(name)?.stamp.report;
  }

  /** Returns all fields as canonical JSON objects, one for each message that reported some of them last, oldest first. */
  grouped(): FieldsAt[] {
    const groups = new Map<Report, { members: string; fields: number }>();
    const add = (report: Report, member: string, json: string, fields = 1): void => {
      const group = groups.get(report);
      if (group === undefined) groups.set(report, { members: member + json, fields });
      else {
        group.members += `,${member}${json}`;
        group.fields += fields;
      }
    };
    for (const name of this.#names) {
      const field = this.#fields.get(name);
      if (field !== undefined) add(field.stamp.report, field.current.member, field.current.json);
      else this.#addSides(add);
    }
    return [...groups]
      .sort(([a], [b]) => compareKeys(a, b))
      .map(([report, { members, fields }]) => ({
        ut: report.ut,
        json: `{${members}}`,
        message_id: report.messageId,
        progress: report.progress,
        text: fields === report.total ? null : report.text,
      }));
  }

  #addSides(add: (report: Report, member: string, json: string, fields: number) => void): void {
    const reported = new Map<Report, PartField[]>();
    for (const { own, results } of this.#sides) {
      for (const field of [own, results]) {
        if (field === null) continue;
        const fields = reported.get(field.stamp.report);
        if (fields === undefined) reported.set(field.stamp.report, [field.current]);
        else fields.push(field.current);
      }
    }
    for (const [report, fields] of reported)
      add(report, PARTICIPANTS_MEMBER, joinSides(fields), fields.length);
  }

  /** Remembers an earlier report of the end. Returns whether it is the earliest. */
  #finishedBefore({ ut, messageId }: MessagePosition): boolean {
    const first = this.#firstFinished;
    if (first !== null && comparePositions({ ut, messageId }, first) >= 0) return false;
    this.#firstFinished = { ut, messageId };
    return true;
  }

  /** Applies each field of a part by itself. Returns the stamp of those that were accepted. */
  #applyEach(part: EventPart, report: Report, changedFields: string[], outranked: string[]): Stamp {
    const stamp: Stamp = { report, fields: 0 };
    for (const current of part.fields) {
      const field = this.#field(current);
      if (field === null) {
        this.#add({ current, stamp });
        changedFields.push(current.name);
      } else if (report.isAfter(field.stamp.report)) {
        if (field.current.json !== current.json) changedFields.push(current.name);
        field.stamp.fields -= 1;
        field.stamp = stamp;
        field.current = current;
      } else {
        if (isOutranked(report, field.stamp.report)) outranked.push(slotOf(current));
        continue;
      }
      stamp.fields += 1;
    }
    return stamp;
  }

  #field({ name, side, isResults }: PartField): Field | null {
    if (side === null) return this.#fields.get(name) ?? null;
    const fields = this.side(side);
    return (isResults ? fields?.results : fields?.own) ?? null;
  }

  #add(field: Field): void {
    const { name, side, isResults } = field.current;
    if (side === null) this.#fields.set(name, field);
    else {
      const at = lowerBound(this.#sides, (one) => one.side < side);
      if (this.#sides[at]?.side !== side) this.#sides.splice(at, 0, { side, own: null, results: null });
      const fields = this.#sides[at] as SideFields;
      if (isResults) fields.results = field;
      else fields.own = field;
    }
    const at = lowerBound(this.#names, (one) => one < name);
    if (this.#names[at] !== name) this.#names.splice(at, 0, name);
  }
}

/** Whether another message of the same second comes after this one. */
function isOutranked(report: Report, other: Report): boolean {
  return report.ut === other.ut && other.isAfter(report);
}

function slotOf({ name, side, isResults }: PartField): string {
  return side === null ? name : `${name}.${side}${isResults ? '.results' : ''}`;
}
