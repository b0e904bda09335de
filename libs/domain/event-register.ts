import { ofFrozen } from '#json/frozen.ts';
import {
  EVENT_FIELDS,
  type Event,
  type EventField,
  type EventParticipant,
  type EventReport,
  type MatchState,
  type ReportedValue,
} from '#records/types.ts';
import { eventText, type ReportedSide, sameValue } from './event.ts';
import {
  compareKeys,
  comparePositions,
  type MessageKey,
  type MessagePosition,
  progressOf,
  stageOf,
} from './message-key.ts';

/** The memory of where a match was, beside its fields (laws 2 and 9). Null where no message said so. */
export type CourseMemory = Pick<MatchState, 'first_finished' | 'first_started' | 'last_scheduled'>;

/** What a message's event changed in the register. */
export type FieldChanges = {
  /** Whether the register changed: the value or the time of a field, or the memory of its course. */
  readonly changed: boolean;
  /** The fields with a new value. */
  readonly fields: readonly string[];
  /** The fields that an earlier applied message of the same second decides; of a side e.g. `participants.1.results`. */
  readonly outranked: readonly string[];
};

/** A message with an event. */
type Report = MessageKey & { readonly event: Event };

function reportOf({ ut, message_id }: MessagePosition, event: Event): Report {
  let text: string | undefined;
  return {
    ut,
    message_id,
    progress: progressOf(event.status_id, event.status_type),
    event,
    // Written once: where it decides, it decides each field of the message.
    get text() {
      text ??= eventText(event);
      return text;
    },
  };
}

/** A value, and the message that reported it last. */
type Field<T> = { value: T; report: Report };

/** What a report does to a value: it is the first one or another one, the same again, too early, or decided by another of its second. */
type Outcome = 'new' | 'repeated' | 'earlier' | 'outranked';

/**
 * Law 2: field by field, the value of the latest message wins: by `ut`, message id, progress of its status, and the canonical text of
 * its event. So the fields of a message win or lose together against another message. A message says nothing about a field that
 * it leaves out. `participants` is decided a side at a time, and within a side `results` apart from the rest.
 */
export class EventRegister {
  readonly #fields = new Map<EventField, Field<unknown>>();
  /** Fields that the contract does not know. */
  readonly #others = new Map<string, Field<string>>();
  /** By counter. */
  readonly #sides = new Map<number, Field<ReportedSide>>();
  /** By team; of messages that named no team by `sideKey`. */
  readonly #results = new Map<number, Field<readonly ReportedValue[]>>();
  readonly course: CourseMemory = { first_finished: null, first_started: null, last_scheduled: null };

  /** Restores a register from `reports()` and `course`. */
  static restore(reports: readonly EventReport[], course: Partial<CourseMemory> = {}): EventRegister {
    const register = new EventRegister();
    register.merge(reports);
    const { first_finished = null, first_started = null, last_scheduled = null } = course;
    Object.assign(register.course, { first_finished, first_started, last_scheduled });
    return register;
  }

  /** Applies the reports of another register. */
  merge(reports: readonly EventReport[]): void {
    for (const report of reports) this.#accept(reportOf(report, report.event));
  }

  apply(event: Event | null, position: MessagePosition): FieldChanges {
    if (event === null) return { changed: false, fields: [], outranked: [] };
    const stage = stageOf(event.status_id, event.status_type);
    const isRemembered = stage !== null && this.#remember(stage, position);
    const changes = this.#accept(reportOf(position, event));
    return isRemembered ? { ...changes, changed: true } : changes;
  }

  /** Returns a field's value; null for unknown, undefined if it was never reported. */
  value<N extends EventField>(name: N): Event[N] | undefined {
    return this.#fields.get(name)?.value as Event[N] | undefined;
  }

  /** Returns all fields that the contract does not know, by name. */
  others(): Record<string, string> {
    return Object.fromEntries(Array.from(this.#others, ([name, { value }]) => [name, value]));
  }

  /** Returns the message that reported the current value of a field; undefined if none did. */
  report(name: EventField): MessagePosition | undefined {
    return this.#fields.get(name)?.report;
  }

  /** Returns when a field was last reported, of `participants` any side or its results: Unix seconds; undefined if it never was. */
  reportedAt(name: EventField | 'participants'): number | undefined {
    if (name !== 'participants') return this.report(name)?.ut;
    const times = this.#ofSides().map(({ report }) => report.ut);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** Returns the side with a counter as reported; undefined while it is unknown. */
  side(counter: number): ReportedSide | undefined {
    return this.#sides.get(counter)?.value;
  }

  /** Returns the results of a side, those of its team on whatever side it was then, and the message that reported them. */
  results(counter: number): Readonly<Field<readonly ReportedValue[]>> | undefined {
    const side = this.side(counter);
    const ofTeam = side && this.#results.get(side.id);
    const ofCounter = this.#results.get(sideKey(counter));
    if (ofTeam === undefined || ofCounter === undefined) return ofTeam ?? ofCounter;
    return compareKeys(ofCounter.report, ofTeam.report) > 0 ? ofCounter : ofTeam;
  }

  /** Returns all sides in the order of their counters, each with its results. */
  sides(): EventParticipant[] {
    return [...this.#sides.keys()]
      .sort((a, b) => a - b)
      .map((counter) => ({
        ...(this.side(counter) as ReportedSide),
        results: [...(this.results(counter)?.value ?? [])],
      }));
  }

  /** Returns the reports that still decide a field, oldest first. */
  reports(): EventReport[] {
    const reports = new Set<Report>();
    for (const fields of [this.#fields.values(), this.#others.values(), this.#ofSides()])
      for (const { report } of fields) reports.add(report);
    return [...reports].sort(compareKeys).map(({ ut, message_id, event }) => ({ ut, message_id, event }));
  }

  #ofSides(): readonly Field<unknown>[] {
    return [...this.#sides.values(), ...this.#results.values()];
  }

  /** Remembers a report of the match's stage. Returns whether the memory changed. */
  #remember(stage: ReturnType<typeof stageOf>, position: MessagePosition): boolean {
    const { course } = this;
    const isBefore = (first: MessagePosition | null) =>
      first === null || comparePositions(position, first) < 0;
    if (stage === 'scheduled') {
      if (course.last_scheduled !== null && comparePositions(position, course.last_scheduled) <= 0)
        return false;
      course.last_scheduled = position;
      return true;
    }
    const isFirstStarted = isBefore(course.first_started);
    const isFirstFinished = stage === 'finished' && isBefore(course.first_finished);
    if (isFirstStarted) course.first_started = position;
    if (isFirstFinished) course.first_finished = position;
    return isFirstStarted || isFirstFinished;
  }

  #accept(report: Report): FieldChanges {
    const { nulls, other, participants } = report.event;
    const changes = { changed: false, fields: [] as string[], outranked: [] as string[] };
    /** Returns whether the register has the value now. */
    const note = (outcome: Outcome, name: string, label = name): boolean => {
      if (outcome === 'outranked') changes.outranked.push(label);
      if (outcome === 'earlier' || outcome === 'outranked') return false;
      changes.changed = true;
      if (outcome === 'new' && !changes.fields.includes(name)) changes.fields.push(name);
      return true;
    };
    for (const name of EVENT_FIELDS) {
      const value = report.event[name];
      if (value !== null) note(put(this.#fields, name, value, report), name);
    }
    for (const name of nulls) note(put(this.#fields, name, null, report), name);
    for (const name in other) note(put(this.#others, name, other[name] as string, report), name);
    for (const { counter, side, results } of sidesOf(participants)) {
      const label = `${NAME}.${counter}`;
      if (side !== null) note(put(this.#sides, counter, side, report), NAME, label);
      if (results === null) continue;
      const { team, values } = results;
      const outcome = put(this.#results, team ?? sideKey(counter), values, report);
      const ofResults = `${label}.results`;
      if (note(outcome, NAME, ofResults) && this.#areOutranked(team, counter, report))
        changes.outranked.push(ofResults);
    }
    return changes;
  }

  /** Whether results of the same second decide for their side, or another team is on it: without its side, results name no team. */
  #areOutranked(team: number | null, counter: number, report: Report): boolean {
    const own = this.#sides.get(counter);
    const isOfOther = team !== null && own !== undefined && own.value.id !== team;
    return (
      isOutranked(report, this.results(counter)?.report) || (isOfOther && isOutranked(report, own.report))
    );
  }
}

const NAME = 'participants';

/** Stores a value where its message comes after that of the current one. */
function put<K, T>(fields: Map<K, Field<T>>, key: K, value: T, report: Report): Outcome {
  const field = fields.get(key);
  if (field === undefined) {
    fields.set(key, { value, report });
    return 'new';
  }
  if (compareKeys(report, field.report) <= 0)
    return isOutranked(report, field.report) ? 'outranked' : 'earlier';
  const outcome = sameValue(field.value, value) ? 'repeated' : 'new';
  field.value = value;
  field.report = report;
  return outcome;
}

/** Whether another message of the same second comes after a report. */
function isOutranked(report: Report, other: Report | undefined): boolean {
  return other !== undefined && other.ut === report.ut && compareKeys(report, other) < 0;
}

/** Returns what stands for the unnamed team with a counter; ids of teams are not negative. */
function sideKey(counter: number): number {
  return -1 - counter;
}

/**
 * Returns what a message says of its sides, by counter: of each the first participant, which has an id, or nothing but results. A side
 * without results says nothing about them; results without a team are those of the side with the counter.
 */
const sidesOf = ofFrozen((participants: readonly EventParticipant[]) => {
  const counters = new Set<number>();
  return participants
    .filter(({ counter }) => counter !== null)
    .sort((a, b) => Number(a.counter) - Number(b.counter))
    .flatMap((side) => {
      const { results: values, ...own } = side;
      const team = own.id;
      const counter = side.counter as number;
      if (counters.has(counter)) return [];
      counters.add(counter);
      const results = values.length > 0 ? { team, values } : null;
      return [{ counter, side: team === null ? null : (own as ReportedSide), results }];
    });
});
