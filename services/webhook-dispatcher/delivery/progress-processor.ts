import { setTimeout as delay } from 'node:timers/promises';
import type { WebhookAttempt, WebhookProgress } from '#records/types.ts';
import type { ConsumedRecord } from '#streams/client/port.ts';
import type { PartitionProcessor, RecordCollector } from '#streams/runtime/processor.ts';
import { decodeInput, fetchSchemas, restoreInto } from '#topics/codec.ts';
import type { CodecsOf } from '#topics/registry.ts';
import { type AttemptKind, applyAttempt, type DeliveryProgress } from '#webhooks/progress.ts';
import type { Dispatcher } from './dispatcher.ts';

type ProgressProcessorOptions = {
  readonly partition: number;
  readonly codecs: CodecsOf<'webhook-attempts' | 'webhook-progress'>;
  /** Name of webhook-progress on the broker. */
  readonly progressTopic: string;
  /** Delivers the subscriptions of the partition from its claim to its release. */
  readonly dispatcher: Pick<Dispatcher, 'claim' | 'applyCommitted' | 'release'>;
};

/**
 * Time that a transaction waits for the outcomes of further requests, milliseconds: a transaction for each request would
 * cost the broker more than the deliveries, and only a later claim needs the outcomes.
 */
const LINGER_MS = 500;
/** Kinds of records that nobody waits for: the outcomes of requests. */
const OUTCOMES: ReadonlySet<string> = new Set<AttemptKind>(['delivered', 'failed', 'passed']);

/** Applies the records of webhook-attempts to the progress of all subscriptions of one partition. */
export class ProgressProcessor implements PartitionProcessor {
  readonly #options: ProgressProcessorOptions;
  readonly #progress = new Map<string, WebhookProgress>();
  readonly #changed = new Map<string, DeliveryProgress>();
  /** Whether the partition has caught up since its claim, so that its subscriptions are delivered. */
  #isOwned = false;

  constructor(options: ProgressProcessorOptions) {
    this.#options = options;
  }

  restore(_topic: string, records: readonly ConsumedRecord[]): Promise<void> {
    return restoreInto(this.#progress, this.#options.codecs['webhook-progress'], records, (value) => value);
  }

  prepare(records: readonly ConsumedRecord[]): Promise<void> {
    return fetchSchemas(this.#options.codecs['webhook-attempts'], records);
  }

  process({ value }: ConsumedRecord): void | Promise<void> {
    const attempt = decodeInput(this.#options.codecs['webhook-attempts'], value);
    // Its subscriptions wait until the partition is owned, so nothing lingers before.
    const lingers = this.#isOwned && this.#changed.size === 0 && OUTCOMES.has(attempt.kind);
    this.#apply(attempt);
    if (lingers) return delay(LINGER_MS);
  }

  flush(collector: RecordCollector): void {
    const { codecs, progressTopic } = this.#options;
    for (const [id, progress] of this.#changed) {
      collector.add(
        progressTopic,
        id,
        progress === null ? null : codecs['webhook-progress'].encode(progress),
      );
    }
  }

  committed(): void {
    const { dispatcher, partition } = this.#options;
    if (this.#isOwned && this.#changed.size > 0) dispatcher.applyCommitted(partition, this.#changed);
    this.#changed.clear();
  }

  caughtUp(): void {
    if (this.#isOwned) return;
    this.#isOwned = true;
    this.#options.dispatcher.claim(this.#options.partition, this.#progress);
  }

  size(): number {
    return this.#progress.size;
  }

  close(): void {
    if (this.#isOwned) void this.#options.dispatcher.release(this.#options.partition);
    this.#isOwned = false;
  }

  #apply(attempt: WebhookAttempt): void {
    const { subscription_id: id } = attempt;
    const before = this.#progress.get(id) ?? null;
    const after = applyAttempt(before, attempt);
    if (after === before) return;
    if (after === null) this.#progress.delete(id);
    else this.#progress.set(id, after);
    this.#changed.set(id, after);
  }
}
