/**
 * Generated live matches as a provider publishes them: the load of the benches. The same number gives the same
 * messages. Fields and values are those of a real push message: `push-message.json` has those that are the same in each.
 */
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import {
  FIRST_HALF_ENDS,
  type MatchPlan,
  type PlannedStep,
  planMatch,
  SECOND_HALF_ENDS,
  SECOND_HALF_STARTS,
  type SideNumber,
} from './match-plan.ts';
import MESSAGE from './push-message.json' with { type: 'json' };

const GOALS: ReadonlySet<number> = new Set([413, 421, 423]);

/** A provider message and the time when it was written, Unix seconds. */
export type TimedMessage = {
  readonly eventId: number;
  readonly messageId: string;
  readonly ut: number;
  readonly message: object;
};

/** The first kick-off of all, Unix seconds. */
const EPOCH = 1_790_000_000;

/** Returns the event id of a match. */
function eventIdOf(match: number): number {
  return 5_000_000 + match;
}

/** A live match: its number determines its course, names and ids. */
export class BenchMatch {
  readonly eventId: number;
  readonly plan: MatchPlan;
  readonly #match: number;
  readonly #kickOff: number;
  readonly #score = { 1: 0, 2: 0 };
  readonly #halfTime = { 1: 0, 2: 0 };
  #next = 0;

  /** Creates a match. `kickOff` is in seconds after the first kick-off of all. */
  constructor(match: number, messages: number, kickOff: number) {
    this.eventId = eventIdOf(match);
    this.plan = planMatch(match + 1, messages);
    this.#match = match;
    this.#kickOff = EPOCH + kickOff;
  }

  /** Time when the next message is written, Unix seconds; Infinity after the last. */
  get nextAt(): number {
    const step = this.plan.steps[this.#next];
    return step === undefined ? Number.POSITIVE_INFINITY : this.#kickOff + step.at;
  }

  /** Returns the next message. */
  next(): TimedMessage {
    const step = this.plan.steps[this.#next];
    if (step === undefined) throw new RangeError('the match is over');
    const ut = this.#kickOff + step.at;
    this.#follow(step);
    const data = { incident: this.#incident(step, ut), event: this.#event(step) };
    return this.#timed(this.#next++, 'incident', ut, data);
  }

  /** Returns a fixture: an event without an incident. */
  fixture(ut: number): TimedMessage {
    const before: PlannedStep = { ...(this.plan.steps[0] as PlannedStep), at: 0 };
    const data = { event: { ...this.#event(before), ...MESSAGE.fixture } };
    return this.#timed(999, 'event', ut, data);
  }

  /** Returns a message, given its number within the match. */
  #timed(number: number, type: 'incident' | 'event', ut: number, data: object): TimedMessage {
    const id = 100_000_000 + this.#match * 1_000 + number;
    return {
      eventId: this.eventId,
      messageId: String(id),
      ut,
      message: { id, type, source: 1, ut, data },
    };
  }

  #follow({ type, score }: PlannedStep): void {
    if (score !== null) this.#score[score.side] += score.by;
    if (type === 445) Object.assign(this.#halfTime, this.#score);
  }

  #incident(step: PlannedStep, ut: number): object {
    const { type, side, at } = step;
    const kind = INCIDENT_TYPES_OF_SOCCER.get(type);
    const important = kind?.important === true;
    const player = side !== 0 && important ? 900_000 + this.#match * 30 + (at % 22) : null;
    const [phase, phaseName] = phaseAt(at);
    return {
      ...MESSAGE.incident,
      id: this.#incidentId(step.incident),
      action: step.action,
      incident_id: type,
      incident_name: kind?.name ?? null,
      confirmation: step.confirmation,
      participant_id: side === 0 ? null : this.#participantId(side),
      participant_name: side === 0 ? null : this.#participantName(side),
      subparticipant_id: player,
      subparticipant_name: player === null ? null : `Player ${player}`,
      important: yesNo(important),
      important_for_trader: yesNo(kind?.importantForTrader === true),
      show_popup: yesNo(important),
      show_scores: yesNo(GOALS.has(type)),
      show_on_timeline: yesNo(important),
      event_time: matchTime(at),
      event_status_id: phase,
      event_status_name: phaseName,
      game_break: yesNo(kind?.gameBreak === true),
      parent_id: step.parent === null ? null : this.#incidentId(step.parent),
      ut,
    };
  }

  #event({ at, type, confirmation }: PlannedStep): object {
    const finished = type === 437;
    const [status] = phaseAt(at);
    const half = status === 34 ? at - SECOND_HALF_STARTS : at;
    return {
      ...MESSAGE.event,
      id: this.eventId,
      start_date: new Date(this.#kickOff * 1_000).toISOString().slice(0, 16).replace('T', ' '),
      status_id: finished ? 11 : status,
      clock_time: finished ? 0 : half,
      clock_status: finished || type === 445 ? 'stopped' : 'running',
      competition_id: 6_000 + (this.#match % 40),
      season_id: 25_000 + (this.#match % 40),
      stage_id: 76_000 + (this.#match % 40),
      bet_status: finished || (GOALS.has(type) && confirmation === 'tbd') ? 'suspended' : 'active',
      relation_status: finished ? 'finished' : 'in_progress',
      status_type: finished ? 'finished' : 'live',
      name: `${this.#participantName(1)} - ${this.#participantName(2)}`,
      round_id: 30 + (this.#match % 38),
      round_name: `Round ${1 + (this.#match % 38)}`,
      participants: [this.#participant(1, at), this.#participant(2, at)],
    };
  }

  #participant(side: SideNumber, at: number): object {
    const second = at >= SECOND_HALF_STARTS;
    const score = this.#score[side];
    const results = [
      { id: 2, value: score },
      { id: 3, value: score },
      { id: 4, value: second ? this.#halfTime[side] : score },
      { id: 5, value: second ? score - this.#halfTime[side] : null },
      ...MESSAGE.results,
    ];
    const name = this.#participantName(side);
    const acronym = side === 1 ? 'HOM' : 'AWA';
    const id = this.#participantId(side);
    return { ...MESSAGE.participant, id, counter: side, name, short_name: name, acronym, results };
  }

  #incidentId(incident: number): string {
    return `5-${100_000_000 + this.#match * 1_000 + incident}`;
  }

  #participantId(side: SideNumber): number {
    return 50_000 + this.#match * 2 + side;
  }

  #participantName(side: SideNumber): string {
    return `Town ${this.#match * 2 + side}`;
  }
}

function yesNo(yes: boolean): 'yes' | 'no' {
  return yes ? 'yes' : 'no';
}

/** Returns the provider's id and name of the phase. */
function phaseAt(at: number): readonly [id: number, name: string] {
  if (at < FIRST_HALF_ENDS) return [33, '1st half'];
  if (at < SECOND_HALF_STARTS) return [9, 'Halftime'];
  return at <= SECOND_HALF_ENDS + 120 ? [34, '2nd half'] : [11, 'Finished'];
}

function matchTime(at: number): string {
  const seconds = at < SECOND_HALF_STARTS ? at : 45 * 60 + at - SECOND_HALF_STARTS;
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Yields the messages of matches that are live at the same time, in the order of writing. */
export function* liveRound(matches: readonly BenchMatch[]): Generator<TimedMessage> {
  while (true) {
    let first = matches[0];
    for (const match of matches) if (first === undefined || match.nextAt < first.nextAt) first = match;
    if (first === undefined || first.nextAt === Number.POSITIVE_INFINITY) return;
    yield first.next();
  }
}
