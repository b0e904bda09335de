/** Matches of one evening that a provider reports by webhooks, with random goals and reviews. */
import { setTimeout as delay } from 'node:timers/promises';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { INCIDENT, STATUS } from '#soccer/soccer.ts';
import { atEnd } from '../../support/at-end.ts';
import { deliverSigned } from '../../support/system.ts';
import { LEVEL_IDS } from '../contract/fed.ts';

type Fields = Record<string, unknown>;
type Side = 1 | 2;

/** The steps of reviews, which are reported beside the running clock. */
const REVIEWS = [
  'goal reported',
  'goal confirmed',
  'goal cancelled',
  'goal taken back',
  'cancellation withdrawn',
  'VAR begun',
  'VAR ended',
] as const;

type Review = (typeof REVIEWS)[number];
type Goal = { readonly side: Side; readonly incident: Fields; counts: boolean };

const FIRST_ID = 7_100_000;
const FIRST_TEAM = 200_000;
/** Slots of a second: each match sends one message a second, because two messages of one second have no order. */
const SLOTS = 10;
const SLOT_MS = 100;
/** Share of messages that are a step of a review. */
const REVIEWED = 0.25;
const RETRY_MS = 100;
const DELIVER_MS = 5_000;

/** A match with the provider's state of its goals. */
class ReviewedMatch {
  readonly id: number;
  readonly #goals: Goal[] = [];
  #open: 'goal' | 'VAR' | null = null;
  /** Cancellation of the last goal. */
  #cancellation: Fields | null = null;
  #incidents = 0;
  #seconds = 0;
  #ut = 0;

  constructor(id: number) {
    this.id = id;
  }

  /** Returns the next message. */
  message(incident: Fields | null, fields: Fields = {}): Fields {
    this.#seconds += 1;
    this.#ut = Math.max(Math.floor(Date.now() / 1000), this.#ut + 1);
    const event = {
      ...LEVEL_IDS,
      id: this.id,
      name: `Home ${this.id} - Away ${this.id}`,
      clock_time: this.#seconds,
      participants: [this.#participant(1), this.#participant(2)],
      ...fields,
    };
    const head = { id: this.id * 1_000 + this.#seconds, ut: this.#ut };
    return incident === null ? eventMessage(head, event) : incidentMessage(head, incident, event);
  }

  kickOff(): Fields {
    return this.message(this.#incident(INCIDENT.firstHalfStarted, '1st half started'));
  }

  finish(): Fields {
    const finished = this.#incident(INCIDENT.finishedRegularTime, 'Finished regular time');
    const over = { status_id: STATUS.finished, status_type: 'finished', clock_status: 'stopped' };
    return this.message(finished, over);
  }

  /** Returns a step of a review that can follow now. */
  review(random: () => number): { readonly what: Review; readonly incident: Fields } {
    const steps = this.#steps(random() < 0.5 ? 1 : 2);
    const what = steps[Math.floor(random() * steps.length)] as Steps;
    return { what: what[0], incident: what[1]() };
  }

  #steps(side: Side): readonly Steps[] {
    const goal = this.#goals.at(-1);
    if (this.#open === 'VAR') return [['VAR ended', () => this.#endVar()]];
    if (this.#open === 'goal' && goal !== undefined)
      return [
        ['goal confirmed', () => this.#decide(goal, true)],
        ['goal cancelled', () => this.#decide(goal, false)],
      ];
    const begin: readonly Steps[] = [
      ['goal reported', () => this.#reportGoal(side)],
      ['VAR begun', () => this.#beginVar()],
    ];
    const cancellation = this.#cancellation;
    if (goal === undefined) return begin;
    if (goal.counts) return [...begin, ['goal taken back', () => this.#takeBack(goal)]];
    if (cancellation === null) return begin;
    return [...begin, ['cancellation withdrawn', () => this.#withdraw(goal, cancellation)]];
  }

  #reportGoal(side: Side): Fields {
    const incident = this.#incident(INCIDENT.goal, 'Goal', {
      participant_id: this.#team(side),
      confirmation: 'tbd',
    });
    this.#goals.push({ side, incident, counts: true });
    this.#cancellation = null;
    this.#open = 'goal';
    return incident;
  }

  #decide(goal: Goal, counts: boolean): Fields {
    goal.counts = counts;
    this.#open = null;
    return { ...goal.incident, action: 'update', confirmation: counts ? 'confirmed' : 'cancelled' };
  }

  #takeBack(goal: Goal): Fields {
    goal.counts = false;
    this.#cancellation = this.#incident(INCIDENT.goalCancelled, 'Goal cancelled', {
      participant_id: this.#team(goal.side),
      parent_id: goal.incident.id,
    });
    return this.#cancellation;
  }

  #withdraw(goal: Goal, cancellation: Fields): Fields {
    goal.counts = true;
    this.#cancellation = null;
    return { ...cancellation, action: 'delete' };
  }

  #beginVar(): Fields {
    this.#open = 'VAR';
    return this.#incident(INCIDENT.possibleVar, 'Possible VAR');
  }

  #endVar(): Fields {
    this.#open = null;
    return this.#incident(INCIDENT.varEnded, 'VAR ended');
  }

  #incident(type: number, name: string, changes: Fields = {}): Fields {
    this.#incidents += 1;
    return {
      id: `5-${this.id}${String(this.#incidents).padStart(3, '0')}`,
      action: 'insert',
      incident_id: type,
      incident_name: name,
      participant_id: null,
      participant_name: null,
      confirmation: 'confirmed',
      event_time: `00:${String(this.#seconds % 60).padStart(2, '0')}`,
      ...changes,
    };
  }

  #team(side: Side): number {
    return FIRST_TEAM + this.id * 2 + side;
  }

  #participant(side: Side): Fields {
    const name = `${side === 1 ? 'Home' : 'Away'} ${this.id - FIRST_ID}`;
    const goals = this.#goals.filter((goal) => goal.counts && goal.side === side).length;
    return {
      id: this.#team(side),
      counter: side,
      name,
      short_name: name,
      acronym: name,
      stats: [],
      results: [{ id: 2, value: goals }],
    };
  }
}

type Steps = readonly [what: Review, make: () => Fields];

/** The provider of these matches, until the test ends. It repeats a delivery until it is accepted. */
export class ReviewedEvening {
  /** Whether the provider reports goals and reviews beside clocks. */
  reviews = false;
  readonly #matches: readonly ReviewedMatch[];
  readonly #random: () => number;
  readonly #reviewed = new Map<Review, number>();
  #undelivered: Fields[] = [];
  #isOver = false;

  private constructor(matches: number, random: () => number) {
    this.#matches = Array.from({ length: matches }, (_, n) => new ReviewedMatch(FIRST_ID + n));
    this.#random = random;
  }

  /** Kicks off `matches` matches. `url` is the receiver's. */
  static start(matches: number, url: string, random: () => number): ReviewedEvening {
    const evening = new ReviewedEvening(matches, random);
    evening.#undelivered.push(...evening.#matches.map((match) => match.kickOff()));
    let slot = 0;
    const speaking = setInterval(() => evening.#speak(slot++ % SLOTS), SLOT_MS);
    const ended = new AbortController();
    const delivering = evening.#deliver(url, ended.signal);
    atEnd(async () => {
      clearInterval(speaking);
      ended.abort();
      await delivering;
    });
    return evening;
  }

  get ids(): readonly number[] {
    return this.#matches.map(({ id }) => id);
  }

  /** Whether each step was reported at least once. */
  get isVaried(): boolean {
    return REVIEWS.every((review) => this.#reviewed.has(review));
  }

  /** Describes how often each step was reported. */
  get summary(): string {
    return [...this.#reviewed].map(([review, times]) => `${review} ${times}`).join(', ');
  }

  /** Finishes all matches. */
  finish(): void {
    this.#isOver = true;
    this.#undelivered.push(...this.#matches.map((match) => match.finish()));
  }

  #speak(slot: number): void {
    if (this.#isOver) return;
    for (const match of this.#matches.filter((_, n) => n % SLOTS === slot)) {
      const isReview = this.reviews && this.#random() < REVIEWED;
      const step = isReview ? match.review(this.#random) : null;
      if (step !== null) this.#reviewed.set(step.what, (this.#reviewed.get(step.what) ?? 0) + 1);
      this.#undelivered.push(match.message(step?.incident ?? null));
    }
  }

  async #deliver(url: string, ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      const messages = this.#undelivered;
      if (messages.length > 0) {
        this.#undelivered = [];
        const signal = AbortSignal.timeout(DELIVER_MS);
        const answer = await deliverSigned(url, messages, { signal }).catch(() => null);
        if (answer?.ok) continue;
        this.#undelivered = [...messages, ...this.#undelivered];
      }
      await delay(RETRY_MS);
    }
  }
}
