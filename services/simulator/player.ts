import { setTimeout as sleep } from 'node:timers/promises';
import type { Dataset } from '../../data/dataset.ts';
import {
  type DeliveryCounts,
  noDeliveryFaults,
  planDeliveries,
  type SimulatedDelivery,
} from './deliveries.ts';
import type { ContentFault } from './faults.ts';
import type { MatchSettings } from './match.ts';
import { schedule, type Wave, WaveTotals } from './schedule.ts';
import type { WebhookSender } from './webhook.ts';

export type PlayOptions = MatchSettings & {
  readonly dataset: Dataset;
  /** How many matches, from the first on. */
  readonly matches: number;
  readonly batchSize: number;
  /** Deliveries that are under way at once. */
  readonly concurrency: number;
  /** Seconds for all of it; else how much faster than life. Infinity is as fast as it is accepted. */
  readonly pace: { readonly seconds: number } | { readonly speed: number };
  /** Called as each delivery is due, with the seconds of play that are over. */
  readonly onPlayed?: (played: number) => void;
  /** Called for each delivery: true loses it for good, it is never sent. */
  readonly loses?: () => boolean;
};

/** What was played, once all of it was accepted. */
export type PlaySummary = {
  readonly dataset: string;
  readonly matches: number;
  /** Messages, each counted once, and what was delivered of them in all, copies included. */
  readonly messages: number;
  readonly delivered: number;
  readonly deliveries: number;
  readonly requests: number;
  /** Requests that were sent again since they were not accepted. */
  readonly retries: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Goals that were disallowed, and real ones that were reviewed, by kind. */
  readonly invented: Readonly<Partial<Record<ContentFault, number>>>;
  /** Requests with a signature that must be refused. */
  readonly forged: { readonly refused: number; readonly accepted: number };
  readonly malformed: Readonly<Record<string, number>>;
  readonly seconds: number;
};

/** A batch may wait this long for more messages, in seconds of life. */
const BATCH_WAIT = 0.05;
/** Deliveries that are due earlier than this are not waited for, in milliseconds. */
const LEAST_WAIT = 2;

/** Plays until everything was accepted. Rejects with the signal's reason when that is aborted. */
export async function play(
  options: PlayOptions,
  sender: WebhookSender,
  signal: AbortSignal,
): Promise<PlaySummary> {
  const { dataset, seed, faults } = options;
  const waves = (): Generator<Wave> => schedule(dataset, options, options.matches);
  const speed = 'speed' in options.pace ? options.pace.speed : lengthOf(waves()) / options.pace.seconds;
  const tally = new Tally();
  const plan = {
    seed,
    faults,
    batchSize: options.batchSize,
    batchWindow: Number.isFinite(speed) ? speed * BATCH_WAIT : 60,
  };
  const startedAt = performance.now();
  const underWay = new Set<Promise<void>>();
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  for (const delivery of planDeliveries(tally.countWaves(waves()), plan, tally.faults)) {
    const wait = (delivery.due / speed) * 1000 - (performance.now() - startedAt);
    if (wait > LEAST_WAIT) await sleep(wait, undefined, { signal: stop });
    while (underWay.size >= options.concurrency) await Promise.race(underWay);
    stop.throwIfAborted();
    options.onPlayed?.(delivery.due);
    if (options.loses?.()) continue;
    const sent = sender
      .deliver(delivery, stop)
      .then((delivered) => tally.countDelivery(delivery, delivered))
      .catch((error: unknown) => failed.abort(error))
      .finally(() => underWay.delete(sent));
    underWay.add(sent);
  }
  await Promise.all(underWay);
  stop.throwIfAborted();
  return tally.summary(dataset.competition.dataset, (performance.now() - startedAt) / 1000);
}

/** Seconds of play, the gaps between waves left out. */
function lengthOf(waves: Iterable<Wave>): number {
  let length = 0;
  for (const wave of waves) length += wave.endsAt - wave.startsAt;
  return length;
}

/** Counts for the summary. */
class Tally {
  readonly faults: DeliveryCounts = noDeliveryFaults();
  readonly #waves = new WaveTotals();
  readonly #malformed: Record<string, number> = {};
  readonly #forged = { refused: 0, accepted: 0 };
  #delivered = 0;
  #deliveries = 0;
  #requests = 0;
  #retries = 0;

  *countWaves(waves: Iterable<Wave>): Generator<Wave> {
    for (const wave of waves) {
      this.#waves.add(wave);
      yield wave;
    }
  }

  countDelivery(
    delivery: SimulatedDelivery,
    { requests, forged }: { requests: number; forged: 'refused' | 'accepted' | null },
  ): void {
    this.#deliveries++;
    this.#delivered += delivery.messages;
    this.#requests += requests;
    this.#retries += requests - 1 - (delivery.mishap === null ? 0 : 1);
    if (forged !== null) this.#forged[forged]++;
    if (delivery.malformed !== null)
      this.#malformed[delivery.malformed] = (this.#malformed[delivery.malformed] ?? 0) + 1;
  }

  summary(dataset: string, seconds: number): PlaySummary {
    return {
      dataset,
      ...this.#waves,
      delivered: this.#delivered,
      deliveries: this.#deliveries,
      requests: this.#requests,
      retries: this.#retries,
      faults: this.faults,
      forged: this.#forged,
      malformed: this.#malformed,
      seconds: Math.round(seconds * 10) / 10,
    };
  }
}
