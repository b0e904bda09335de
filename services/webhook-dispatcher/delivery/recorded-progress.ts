import type { WebhookAttempt, WebhookOffset } from '#records/types.ts';
import { type AttemptKind, applyAttempt, attemptOf, type DeliveryProgress } from '#webhooks/progress.ts';
import type { BatchLimits } from './batch.ts';
import type { DispatchContext } from './delivery-context.ts';
import type { Subscription } from './subscriptions.ts';

/** An accepted batch whose record is pending. */
type Unrecorded = BatchLimits & { readonly written: Promise<void> };

/**
 * The progress of a subscription in this process, and its records on webhook-attempts. Records of deliveries are
 * published concurrently, as the furthest one counts; any other record waits for all before it.
 */
export class RecordedProgress {
  readonly #context: DispatchContext;
  #current: DeliveryProgress;
  #next: number[];
  #isAhead = false;
  #recordedAt: number;
  #recorded: Promise<void> = Promise.resolve();
  /** The last record that is of no delivery, with all before it; null when it is published. */
  #order: Promise<void> | null = null;
  readonly #unrecorded = new Set<Unrecorded>();

  constructor(context: DispatchContext, progress: DeliveryProgress) {
    this.#context = context;
    this.#current = progress;
    this.#next = this.#offsetsOf(progress);
    this.#recordedAt = context.now();
  }

  get current(): DeliveryProgress {
    return this.#current;
  }

  /** Next offset by partition: delivered or skipped. */
  get next(): readonly number[] {
    return this.#next;
  }

  /** Time of the last record, Unix milliseconds, if messages have been skipped since; else null. */
  get aheadSince(): number | null {
    return this.#isAhead ? this.#recordedAt : null;
  }

  /** Replaces the progress by a committed one. */
  adopt(committed: DeliveryProgress): void {
    this.#current = committed;
    this.#next = this.#offsetsOf(committed);
    this.#isAhead = false;
  }

  /** Skips the messages before these offsets; a later record reports it. */
  skipTo(next: readonly number[]): void {
    if (next.some((offset, of) => offset > (this.#next[of] ?? 0))) this.#isAhead = true;
    this.#next = [...next];
  }

  /** Sets the offsets after a delivery. Returns those that moved since the last record, by skipping too. */
  deliveredTo(next: readonly number[]): WebhookOffset[] {
    const recorded = this.#offsetsOf(this.#current);
    const moved = offsets(next).filter(({ partition, offset }) => offset > (recorded[partition] ?? 0));
    this.#next = [...next];
    this.#isAhead = false;
    return moved;
  }

  /** Records an attempt after all earlier ones, and applies it at once. */
  async record(
    { id, clientId }: Subscription,
    kind: AttemptKind,
    fields: Partial<WebhookAttempt>,
  ): Promise<void> {
    const { now, record } = this.#context;
    const epoch = this.#current?.epoch ?? 1;
    const attempt = attemptOf({ subscription_id: id, client_id: clientId, kind, epoch, at: now() }, fields);
    this.#recordedAt = attempt.at;
    if (kind === 'passed') this.#isAhead = false;
    this.#current = applyAttempt(this.#current, attempt);
    const isDelivery = kind === 'delivered';
    const before = isDelivery ? this.#order : this.#recorded;
    const written = before === null ? record(attempt) : before.then(() => record(attempt));
    this.#recorded = Promise.all([this.#recorded, written]).then(() => {});
    this.#recorded.catch(() => {});
    if (isDelivery) this.#trackUnrecorded({ messages: attempt.messages, bytes: attempt.bytes, written });
    else this.#keepOrder(this.#recorded);
    await written;
  }

  #keepOrder(recorded: Promise<void>): void {
    this.#order = recorded;
    const end = (): void => {
      if (this.#order === recorded) this.#order = null;
    };
    recorded.then(end, () => {});
  }

  #trackUnrecorded(one: Unrecorded): void {
    this.#unrecorded.add(one);
    const end = (): void => void this.#unrecorded.delete(one);
    one.written.then(end, end);
  }

  /**
   * Returns null while the unrecorded deliveries are one full batch at most; else publishes at once, and resolves with
   * the oldest record. Rejects when recording has ended.
   */
  waitForRoom(full: BatchLimits): Promise<void> | null {
    const [oldest] = this.#unrecorded;
    if (oldest === undefined || !this.#exceeds(full, 1)) return null;
    this.#context.hurry();
    return oldest.written;
  }

  /** Publishes pending records at once if the next batch will wait for them. */
  hurry(full: BatchLimits): void {
    if (this.#exceeds(full, 0.5)) this.#context.hurry();
  }

  #exceeds(full: BatchLimits, share: number): boolean {
    let [messages, bytes] = [0, 0];
    for (const one of this.#unrecorded) {
      messages += one.messages;
      bytes += one.bytes;
    }
    return messages > share * full.messages || bytes > share * full.bytes;
  }

  /** Records that the messages of a partition before an offset expired undelivered, and skips them. */
  async lostTo(
    subscription: Subscription,
    { partition, offset }: WebhookOffset,
    messages: number,
  ): Promise<void> {
    const before = this.#next;
    await this.record(subscription, 'lost', { next: [{ partition, offset }], messages });
    // An order that arrived meanwhile has replaced the list.
    before[partition] = offset;
  }

  /** Resolves once all records so far are published; rejects when recording has ended. */
  get recorded(): Promise<void> {
    return this.#recorded;
  }

  #offsetsOf(progress: DeliveryProgress): number[] {
    const next = new Array<number>(this.#context.window.partitions).fill(0);
    for (const { partition, offset } of progress?.next ?? []) next[partition] = offset;
    return next;
  }
}

/** Converts offsets by partition to those of a record. */
export function offsets(next: readonly number[]): WebhookOffset[] {
  return next.map((offset, partition) => ({ partition, offset }));
}
