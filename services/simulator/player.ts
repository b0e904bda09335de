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
import { playLength, schedule, type Wave, WaveTotals } from './schedule.ts';
import type { Delivered, WebhookSender } from './webhook.ts';

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
  const speed = 'speed' in options.pace ? options.pace.speed : playLength(waves()) / options.pace.seconds;
  const played = new WaveTotals();
  const sent = new DeliveryTotals();
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
  for (const delivery of planDeliveries(counted(waves(), played), plan, sent.faults)) {
    const wait = (delivery.due / speed) * 1000 - (performance.now() - startedAt);
    if (wait > LEAST_WAIT) await sleep(wait, undefined, { signal: stop });
    while (underWay.size >= options.concurrency) await Promise.race(underWay);
    stop.throwIfAborted();
    options.onPlayed?.(delivery.due);
    if (options.loses?.()) continue;
    const sending = sender
      .deliver(delivery, stop)
      .then((delivered) => sent.add(delivery, delivered))
      .catch((error: unknown) => failed.abort(error))
      .finally(() => underWay.delete(sending));
    underWay.add(sending);
  }
  await Promise.all(underWay);
  stop.throwIfAborted();
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  return { dataset: dataset.competition.dataset, ...played, ...sent, seconds };
}

function* counted(waves: Iterable<Wave>, totals: WaveTotals): Generator<Wave> {
  for (const wave of waves) {
    totals.add(wave);
    yield wave;
  }
}

/** Counts of deliveries, as the summary has them. */
class DeliveryTotals {
  delivered = 0;
  deliveries = 0;
  requests = 0;
  retries = 0;
  readonly faults: DeliveryCounts = noDeliveryFaults();
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
