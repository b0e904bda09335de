import { setTimeout as sleep } from 'node:timers/promises';
import type { Dataset } from '../../data/dataset.ts';
import { planDeliveries, type SimulatedDelivery } from './deliveries.ts';
import { allAt, DELIVERY_NAMES } from './faults.ts';
import type { MatchSettings } from './match.ts';
import { playLength, schedule, WaveTotals } from './schedule.ts';
import type { Delivered, WebhookSender } from './webhook.ts';

export type PlayOptions = MatchSettings & {
  readonly dataset: Dataset;
  readonly matches: number;
  readonly batchSize: number;
  readonly concurrency: number;
  /** Duration of the whole play, or a multiple of real time; Infinity is as fast as deliveries are accepted. */
  readonly pace: { readonly seconds: number } | { readonly speed: number };
  /** Called when a delivery is due, with the seconds of play so far. */
  readonly onPlayed?: (played: number) => void;
  /** Called for each delivery; a delivery for which it returns true is never sent. */
  readonly loses?: () => boolean;
};

/** The totals of a play, once everything is accepted. */
export type PlaySummary = Omit<WaveTotals & DeliveryTotals, 'add' | 'faults'> & {
  readonly dataset: string;
  readonly faults: Readonly<Record<string, number>>;
  readonly seconds: number;
};

/** Maximum wait of a batch for more messages, real seconds. */
const BATCH_WAIT_SECONDS = 0.05;
/** Minimum wait for a delivery: a delivery that is due earlier is sent at once. */
const MIN_WAIT_MS = 2;

/** Plays until everything is accepted. Rejects with the first error of a delivery, or with the reason of `signal`. */
export async function play(
  options: PlayOptions,
  sender: WebhookSender,
  signal: AbortSignal,
): Promise<PlaySummary> {
  const { dataset, seed, faults } = options;
  const waves = () => schedule(dataset, options, options.matches);
  const speed = 'speed' in options.pace ? options.pace.speed : playLength(waves()) / options.pace.seconds;
  const played = new WaveTotals();
  const sent = new DeliveryTotals();
  const plan = {
    seed,
    faults,
    batchSize: options.batchSize,
    batchWindow: Number.isFinite(speed) ? speed * BATCH_WAIT_SECONDS : 60,
  };
  const counted = waves().map((wave) => {
    played.add(wave);
    return wave;
  });
  const startedAt = performance.now();
  const inFlight = new Set<Promise<void>>();
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  for (const delivery of planDeliveries(counted, plan, sent.faults)) {
    const wait = (delivery.due / speed) * 1000 - (performance.now() - startedAt);
    if (wait > MIN_WAIT_MS) await sleep(wait, undefined, { signal: stop });
    while (inFlight.size >= options.concurrency) await Promise.race(inFlight);
    stop.throwIfAborted();
    options.onPlayed?.(delivery.due);
    if (options.loses?.()) continue;
    const sending = sender
      .deliver(delivery, stop)
      .then((delivered) => sent.add(delivery, delivered))
      .catch((error: unknown) => failed.abort(error))
      .finally(() => inFlight.delete(sending));
    inFlight.add(sending);
  }
  await Promise.all(inFlight);
  stop.throwIfAborted();
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  return { dataset: dataset.competition.dataset, ...played, ...sent, seconds };
}

class DeliveryTotals {
  /** Number of delivered messages, duplicates included. */
  delivered = 0;
  deliveries = 0;
  requests = 0;
  /** Number of requests that were repeated because they were not accepted. */
  retries = 0;
  readonly faults = allAt(DELIVERY_NAMES, 0);
  /** Numbers of requests with a forged signature, by answer. */
  readonly forged = { refused: 0, accepted: 0 };
  readonly malformed: Record<string, number> = {};

  add({ messages, mishap, malformed }: SimulatedDelivery, { requests, forged }: Delivered): void {
    this.deliveries++;
    this.delivered += messages;
    this.requests += requests;
    this.retries += requests - 1 - (mishap === null ? 0 : 1);
    if (forged !== null) this.forged[forged]++;
    if (malformed !== null) this.malformed[malformed] = (this.malformed[malformed] ?? 0) + 1;
  }
}
