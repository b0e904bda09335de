import { canonicalJson } from '#json/canonical-json.ts';
import type { FieldsAt } from '#records/types.ts';
import { type EventPart, readAtIndex, readPart } from './event-parts.ts';
import { joinSides, PARTICIPANTS_MEMBER, type PartField } from './event-sides.ts';
import {
  compareKeys,
  comparePositions,
  type MatchStage,
  type MessageKey,
  type MessagePosition,
} from './message-key.ts';
import { lowerBound } from './sorted.ts';

/** The report that all fields share which one part of a message reported last; `fields`: their number. */
type Stamp = { report: Report; fields: number };

/** A field with its current value. */
type Field = { current: PartField; stamp: Stamp };

/** The memory of where a match was, beside its fields (laws 2 and 9). Null where no message said so. */
export type CourseMemory = {
  /** The earliest report that the match is finished. */
  firstFinished: MessagePosition | null;
  /** The earliest report that it is in play or finished. */
  firstStarted: MessagePosition | null;
  /** The latest report that it is scheduled. */
  lastScheduled: MessagePosition | null;
};

/** What a message's event changed in the register. */
type FieldChanges = {
  /** Whether the register changed: the value or the time of a field, or the memory of its course. */
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
  /** The sides of `participants` without their results, in the order of their counters. */
  readonly #sides: Field[] = [];
  /** The results of each team, and those without a team of each counter. */
  readonly #results: Field[] = [];
  /** The last reported part and the stamp of its fields, by its index in the message. */
  readonly #last: ({ readonly part: EventPart; readonly stamp: Stamp } | undefined)[] = [];
  readonly #course: CourseMemory = { firstFinished: null, firstStarted: null, lastScheduled: null };

  /** Restores a register from `grouped()` and `course`. */
  static restore(groups: readonly FieldsAt[], course: Partial<CourseMemory> = {}): EventRegister {
    const register = new EventRegister();
    register.merge(groups);
    Object.assign(register.#course, course);
    return register;
  }

  /** Applies the fields of another register, as its `grouped()` gives them. */
  merge(groups: readonly FieldsAt[]): void {
    for (const group of groups) {
      const part = readPart(group.json);
      this.#applyEach(part, Report.restore(group, part), [], []);
    }
  }

  get course(): Readonly<CourseMemory> {
    return this.#course;
  }

  /** Returns the side with a counter, without its results; undefined while it is unknown. */
  side(counter: number): PartField | undefined {
    return this.#side(counter)?.current;
  }

  /**
   * Returns the results of the side with a counter, and the message that reported them; undefined while they are unknown. They are
   * those of its team, on whatever side it was then. Those of a message that named no team are of the counter.
   */
  results(counter: number): { readonly field: PartField; readonly report: MessagePosition } | undefined {
    const found = this.#resultsOfSide(counter);
    return found && { field: found.current, report: found.stamp.report };
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
      if (part.stage !== null && this.#remember(part.stage, position)) changed = true;
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
    for (const { current, stamp } of [...this.#sides, ...this.#results]) {
      const fields = reported.get(stamp.report);
      if (fields === undefined) reported.set(stamp.report, [current]);
      else fields.push(current);
    }
    for (const fields of reported.values()) {
      fields.sort((a, b) => Number(a.side) - Number(b.side) || Number(a.isResults) - Number(b.isResults));
    }
    for (const [report, fields] of reported)
      add(report, PARTICIPANTS_MEMBER, joinSides(fields), fields.length);
  }

  /** Remembers a report of the match's stage. Returns whether the memory changed. */
  #remember(stage: MatchStage, { ut, messageId }: MessagePosition): boolean {
    const course = this.#course;
    const position = { ut, messageId };
    const isBefore = (first: MessagePosition | null) =>
      first === null || comparePositions(position, first) < 0;
    if (stage === 'scheduled') {
      if (course.lastScheduled !== null && comparePositions(position, course.lastScheduled) <= 0)
        return false;
      course.lastScheduled = position;
      return true;
    }
    const isFirstStarted = isBefore(course.firstStarted);
    const isFirstFinished = stage === 'finished' && isBefore(course.firstFinished);
    if (isFirstStarted) course.firstStarted = position;
    if (isFirstFinished) course.firstFinished = position;
    return isFirstStarted || isFirstFinished;
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
      if (current.isResults && this.#isOutrankedResults(current, report)) outranked.push(slotOf(current));
    }
    return stamp;
  }

  #field({ name, side, isResults, team }: PartField): Field | null {
    if (side === null) return this.#fields.get(name) ?? null;
    return (isResults ? this.#resultsOf(team, side) : this.#side(side)) ?? null;
  }

  #side(counter: number): Field | undefined {
    for (const field of this.#sides) if (field.current.side === counter) return field;
    return undefined;
  }

  /** Whether results of the same second decide for their side, or another team is on it: without its side, results name no team. */
  #isOutrankedResults({ side, team }: PartField, report: Report): boolean {
    const deciding = this.#resultsOfSide(side);
    const own = side === null ? undefined : this.#side(side);
    const isOfOther = team !== null && own !== undefined && own.current.team !== team;
    return (
      (deciding !== undefined && isOutranked(report, deciding.stamp.report)) ||
      (isOfOther && isOutranked(report, own.stamp.report))
    );
  }

  #resultsOfSide(counter: number | null): Field | undefined {
    if (counter === null) return undefined;
    const team = this.#side(counter)?.current.team ?? null;
    const ofTeam = team === null ? undefined : this.#resultsOf(team, counter);
    const ofCounter = this.#resultsOf(null, counter);
    if (ofTeam === undefined || ofCounter === undefined) return ofTeam ?? ofCounter;
    return ofCounter.stamp.report.isAfter(ofTeam.stamp.report) ? ofCounter : ofTeam;
  }

  /** Returns the results of a team; with null those without a team of a counter. */
  #resultsOf(team: number | null, counter: number): Field | undefined {
    for (const field of this.#results) {
      if (field.current.team === team && (team !== null || field.current.side === counter)) return field;
    }
    return undefined;
  }

  #add(field: Field): void {
    const { name, side, isResults } = field.current;
    if (side === null) this.#fields.set(name, field);
    else if (isResults) this.#results.push(field);
    else this.#sides.push(field);
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
