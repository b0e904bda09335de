import type { Event, EventField, EventParticipant, EventReport, ReportedValue } from '#records/types.ts';
import { EVENT_FIELDS, eventText, sameValue } from './event.ts';
import {
  compareKeys,
  comparePositions,
  type MatchStage,
  type MessageKey,
  type MessagePosition,
  progressOf,
  stageOf,
} from './message-key.ts';

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

const NO_CHANGES: FieldChanges = { changed: false, fields: [], outranked: [] };

/** The results of a team in a message; without its id, of the side with the counter. */
type SideResults = { readonly team: number | null; readonly counter: number };

/** What a message says of one field, of one side without its results, or of the results of one team. */
type Slot = {
  /** The same of the same field in every message. */
  readonly key: string;
  /** The field of the event. */
  readonly name: string;
  /** The name in `outranked`. */
  readonly label: string;
  readonly value: unknown;
  readonly results?: SideResults;
};

class Report implements MessageKey {
  readonly ut: number;
  readonly messageId: number | null;
  readonly progress: number;
  readonly event: Event;

  constructor({ ut, messageId }: MessagePosition, event: Event) {
    this.ut = ut;
    this.messageId = messageId;
    this.progress = progressOf(event.status_id, event.status_type);
    this.event = event;
  }

  get text(): string {
    return eventText(this.event);
  }
}

/** The current value of a field, and the message that reported it last. */
type Field = { readonly slot: Slot; readonly report: Report };

/**
 * Law 2: field by field, the value of the latest message wins: by `ut`, message id, progress of its status, and the canonical text of
 * its event. So the fields of a message win or lose together against another message. A message says nothing about a field that
 * it leaves out. `participants` is decided a side at a time, and within a side `results` apart from the rest.
 */
export class EventRegister {
  readonly #fields = new Map<string, Field>();
  readonly #course: CourseMemory = { firstFinished: null, firstStarted: null, lastScheduled: null };

  /** Restores a register from `reports()` and `course`. */
  static restore(reports: readonly EventReport[], course: Partial<CourseMemory> = {}): EventRegister {
    const register = new EventRegister();
    register.merge(reports);
    Object.assign(register.#course, course);
    return register;
  }

  /** Applies the reports of another register. */
  merge(reports: readonly EventReport[]): void {
    for (const { ut, message_id, event } of reports)
      this.#accept(new Report({ ut, messageId: message_id }, event));
  }

  get course(): Readonly<CourseMemory> {
    return this.#course;
  }

  apply(event: Event | null, position: MessagePosition): FieldChanges {
    if (event === null) return NO_CHANGES;
    const stage = stageOf(event.status_id, event.status_type);
    const isRemembered = stage !== null && this.#remember(stage, position);
    const changes = this.#accept(new Report(position, event));
    return isRemembered ? { ...changes, changed: true } : changes;
  }

  /** Returns a field's value; null for unknown, undefined if it was never reported. */
  value<N extends EventField>(name: N): Event[N] | undefined {
    return this.#fields.get(name)?.slot.value as Event[N] | undefined;
  }

  /** Returns all fields that the contract does not know, by name. */
  others(): Record<string, string> {
    const others: Record<string, string> = {};
    for (const { slot } of this.#fields.values())
      if (slot.key === otherKey(slot.name)) others[slot.name] = slot.value as string;
    return others;
  }

  /** Returns the message that reported the current value of a field; undefined if none did. */
  report(name: EventField): MessagePosition | undefined {
    return this.#fields.get(name)?.report;
  }

  /** Returns when a field was last reported, of `participants` any side or its results: Unix seconds; undefined if it never was. */
  reportedAt(name: EventField | 'participants'): number | undefined {
    if (name !== 'participants') return this.report(name)?.ut;
    const reports = [...this.#fields.values()].filter(({ slot }) => slot.name === name);
    return reports.length === 0 ? undefined : Math.max(...reports.map(({ report }) => report.ut));
  }

  /** Returns the side with a counter as reported, without its results; undefined while it is unknown. */
  side(counter: number): EventParticipant | undefined {
    return this.#fields.get(sideKey(counter))?.slot.value as EventParticipant | undefined;
  }

  /** Returns the results of a side, those of its team on whatever side it was then, and the message that reported them. */
  results(
    counter: number,
  ): { readonly values: readonly ReportedValue[]; readonly report: MessagePosition } | undefined {
    const found = this.#resultsOfSide(counter);
    return found && { values: found.slot.value as readonly ReportedValue[], report: found.report };
  }

  /** Returns all sides in the order of their counters, each with its results. */
  sides(): EventParticipant[] {
    const counters = new Set<number>();
    for (const { slot } of this.#fields.values()) {
      if (slot.results !== undefined) counters.add(slot.results.counter);
      else if (slot.name === 'participants') counters.add((slot.value as EventParticipant).counter as number);
    }
    return [...counters]
      .sort((a, b) => a - b)
      .flatMap((counter) => {
        const own = this.side(counter);
        const results = this.results(counter)?.values ?? [];
        return own === undefined ? [] : [{ ...own, results: [...results] }];
      });
  }

  /** Returns the reports that still decide a field, oldest first. */
  reports(): EventReport[] {
    const reports = new Set<Report>();
    for (const { report } of this.#fields.values()) reports.add(report);
    return [...reports]
      .sort(compareKeys)
      .map(({ ut, messageId, event }) => ({ ut, message_id: messageId, event }));
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

  #accept(report: Report): FieldChanges {
    const fields = new Set<string>();
    const outranked: string[] = [];
    const orders = new Map<Report, number>();
    const orderOf = (other: Report): number => {
      const known = orders.get(other);
      if (known !== undefined) return known;
      const order = compareKeys(report, other);
      orders.set(other, order);
      return order;
    };
    const isOutranked = (other: Report | undefined): boolean =>
      other !== undefined && other.ut === report.ut && orderOf(other) < 0;
    let changed = false;
    for (const slot of slotsOf(report.event)) {
      const current = this.#fields.get(slot.key);
      if (current !== undefined && orderOf(current.report) <= 0) {
        if (isOutranked(current.report)) outranked.push(slot.label);
        continue;
      }
      this.#fields.set(slot.key, { slot, report });
      changed = true;
      if (current === undefined || !sameValue(current.slot.value, slot.value)) fields.add(slot.name);
      if (slot.results !== undefined && this.#areOutranked(slot.results, isOutranked))
        outranked.push(slot.label);
    }
    return { changed, fields: [...fields], outranked };
  }

  /** Whether results of the same second decide for their side, or another team is on it: without its side, results name no team. */
  #areOutranked(
    { team, counter }: SideResults,
    isOutranked: (other: Report | undefined) => boolean,
  ): boolean {
    const own = this.#fields.get(sideKey(counter));
    const isOfOther = team !== null && own !== undefined && this.side(counter)?.id !== team;
    return isOutranked(this.#resultsOfSide(counter)?.report) || (isOfOther && isOutranked(own.report));
  }

  #resultsOfSide(counter: number): Field | undefined {
    const team = this.side(counter)?.id ?? null;
    const ofTeam = team === null ? undefined : this.#fields.get(resultsKey(team, counter));
    const ofCounter = this.#fields.get(resultsKey(null, counter));
    if (ofTeam === undefined || ofCounter === undefined) return ofTeam ?? ofCounter;
    return compareKeys(ofCounter.report, ofTeam.report) > 0 ? ofCounter : ofTeam;
  }
}

function otherKey(name: string): string {
  return `other.${name}`;
}

function sideKey(counter: number): string {
  return `participants.${counter}`;
}

function resultsKey(team: number | null, counter: number): string {
  return team === null ? `results.counter.${counter}` : `results.team.${team}`;
}

/** Returns what a message says, slot by slot: of each counter the first participant with an id, of each team the first results. */
function slotsOf(event: Event): Slot[] {
  const slots: Slot[] = [];
  for (const name of EVENT_FIELDS) {
    const value = event[name];
    if (value !== null) slots.push({ key: name, name, label: name, value });
  }
  for (const name of event.nulls) slots.push({ key: name, name, label: name, value: null });
  for (const name in event.other)
    slots.push({ key: otherKey(name), name, label: name, value: event.other[name] });
  for (const slot of slotsOfSides(event.participants)) slots.push(slot);
  return slots;
}

const NAME = 'participants';

function slotsOfSides(participants: readonly EventParticipant[]): Slot[] {
  const taken = new Set<string>();
  return participants
    .filter(({ id, counter, results }) => counter !== null && (id !== null || results.length > 0))
    .sort((a, b) => Number(a.counter) - Number(b.counter))
    .flatMap((participant): Slot[] => {
      const { id: team, results: values } = participant;
      const counter = participant.counter as number;
      const key = sideKey(counter);
      if (taken.has(key)) return [];
      taken.add(key);
      const slots: Slot[] = [];
      if (team !== null) slots.push({ key, name: NAME, label: key, value: { ...participant, results: [] } });
      const keyOfResults = resultsKey(team, counter);
      if (values.length > 0 && !taken.has(keyOfResults)) {
        const results = { team, counter };
        slots.push({ key: keyOfResults, name: NAME, label: `${key}.results`, value: values, results });
      }
      taken.add(keyOfResults);
      return slots;
    });
}
