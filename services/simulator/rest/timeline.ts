import type { Competition, Dataset } from '../../../data/dataset.ts';
import type { ContentFault } from '../faults.ts';
import type { Telling } from '../match.ts';
import type { ProviderMessage } from '../records.ts';
import { schedule, tellWave, type Wave, type WavePlan } from '../schedule.ts';
import type { Stretch } from './clock.ts';

/** Waves whose messages are kept: the one being played, and those that a client that was away reads again. */
const WAVES_IN_MEMORY = 3;

/**
 * All that is ever told, by time. The messages of a season do not fit in memory: a wave is told anew when it is asked
 * for, which gives the same messages.
 */
export class Timeline {
  readonly #competition: Competition;
  readonly #telling: Telling;
  readonly #waves: (WavePlan & Stretch)[] = [];
  readonly #told = new Map<number, readonly ProviderMessage[]>();
  readonly #invented: Partial<Record<ContentFault, number>> = {};
  #matches = 0;
  #messages = 0;

  /** `count` plays the first matches only. Tells everything once, to know when. */
  constructor(dataset: Dataset, telling: Telling, count?: number) {
    this.#competition = dataset.competition;
    this.#telling = telling;
    for (const wave of schedule(dataset, telling, count)) this.#take(wave);
    if (this.#waves.length === 0) throw new RangeError('there is no match to play');
  }

  /** When it is told, in order. */
  get stretches(): readonly Stretch[] {
    return this.#waves;
  }

  /** Time of the first and the last message, Unix seconds. */
  get startsAt(): number {
    return this.#waves[0]?.startsAt ?? 0;
  }

  get endsAt(): number {
    return this.#waves.at(-1)?.endsAt ?? 0;
  }

  /** Seconds of play, the gaps between waves left out. */
  get length(): number {
    return this.#waves.reduce((sum, { startsAt, endsAt }) => sum + endsAt - startsAt, 0);
  }

  /** How much is told in all. */
  get totals() {
    return { matches: this.#matches, messages: this.#messages, invented: this.#invented };
  }

  /** The messages whose `ut` is in the window, both ends included, in the order in which they are told. */
  *between(from: number, to: number): Generator<ProviderMessage> {
    for (const wave of this.#waves) {
      if (wave.endsAt < from || wave.startsAt > to) continue;
      for (const message of this.#messagesOf(wave)) if (message.ut >= from && message.ut <= to) yield message;
    }
  }

  #take({ n, kickOff, facts, matches, messages, startsAt, endsAt }: Wave): void {
    this.#waves.push({ n, kickOff, facts, startsAt, endsAt });
    this.#matches += matches.length;
    this.#messages += messages.length;
    for (const { invented } of matches)
      for (const [kind, count] of Object.entries(invented) as [ContentFault, number][])
        this.#invented[kind] = (this.#invented[kind] ?? 0) + count;
  }

  #messagesOf(wave: WavePlan): readonly ProviderMessage[] {
    const messages = this.#told.get(wave.n) ?? tellWave(wave, this.#competition, this.#telling).messages;
    // What was used last stands last; what was not used for longest goes.
    this.#told.delete(wave.n);
    this.#told.set(wave.n, messages);
    const [oldest] = this.#told.keys();
    if (this.#told.size > WAVES_IN_MEMORY && oldest !== undefined) this.#told.delete(oldest);
    return messages;
  }
}
