import type { WebhookAttempt, WebhookOffset } from '#topics/generated/types.ts';
import { type AttemptKind, applyAttempt, attemptOf, type DeliveryProgress } from '#webhooks/progress.ts';
import type { BatchLimits } from './batch.ts';
import type { DispatchContext } from './delivery-context.ts';
import type { Subscription } from './subscriptions.ts';

/** An accepted batch whose record is under way. */
type Unrecorded = BatchLimits & { readonly written: Promise<void> };

/**
 * The progress of a subscription as this process knows it, and its records on webhook-attempts. Those of deliveries are
 * under way together, as the furthest one counts; any other comes after all before it.
 */
export class RecordedProgress {
  readonly #context: DispatchContext;
  #current: DeliveryProgress;
  #next: number[];
  #isAhead = false;
  #recordedAt: number;
  #recorded: Promise<void> = Promise.resolve();
  /** While it is under way: the last record that is of no delivery, and all before it. */
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

  /** When an attempt was last recorded where messages were skipped since, else null. */
  get aheadSince(): number | null {
    return this.#isAhead ? this.#recordedAt : null;
  }

  /** Committed progress replaces all that this process knows. */
  adopt(committed: DeliveryProgress): void {
    this.#current = committed;
    this.#next = this.#offsetsOf(committed);
    this.#isAhead = false;
  }

  /** Messages before these offsets are skipped, which a later record says. */
  skipTo(next: readonly number[]): void {
    if (next.some((offset, of) => offset > (this.#next[of] ?? 0))) this.#isAhead = true;
    this.#next = [...next];
  }

  /** Messages before these offsets are delivered: the offsets that moved since the last record, by skipping too. */
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
    if (isDelivery) this.#expect({ messages: attempt.messages, bytes: attempt.bytes, written });
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

  #expect(one: Unrecorded): void {
    this.#unrecorded.add(one);
    const end = (): void => void this.#unrecorded.delete(one);
    one.written.then(end, end);
  }

  /**
   * Null while the deliveries without a record are no more than one full batch; else resolves with the next record, which is
   * published at once. Rejects where recording ended.
   */
  room(full: BatchLimits): Promise<void> | null {
    const [oldest] = this.#unrecorded;
    if (oldest === undefined || !this.#exceeds(full, 1)) return null;
    this.#context.hurry();
    return oldest.written;
  }

  /** Publishes pending records at once where another batch will wait for them. */
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

  /** Resolves once everything so far is recorded; rejects where recording ended. */
  get recorded(): Promise<void> {
    return this.#recorded;
  }

  #offsetsOf(progress: DeliveryProgress): number[] {
    const next = new Array<number>(this.#context.window.partitions).fill(0);
    for (const { partition, offset } of progress?.next ?? []) next[partition] = offset;
    return next;
  }
}

/** Offsets by partition, as a record has them. */
export function offsets(next: readonly number[]): WebhookOffset[] {
  return next.map((offset, partition) => ({ partition, offset }));
}
