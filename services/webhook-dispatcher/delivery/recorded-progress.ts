import type { WebhookAttempt, WebhookOffset } from '#topics/generated/types.ts';
import { type AttemptKind, applyAttempt, attemptOf, type DeliveryProgress } from '#webhooks/progress.ts';
import type { DispatchContext } from './delivery-context.ts';
import type { Subscription } from './subscriptions.ts';

/** The progress of a subscription as this process knows it, and its records on webhook-attempts, in order. */
export class RecordedProgress {
  readonly #context: DispatchContext;
  #current: DeliveryProgress;
  #next: number[];
  #isAhead = false;
  #recordedAt: number;
  #recorded: Promise<void> = Promise.resolve();
  /** Records under way. */
  #unrecorded = 0;

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

  /** Messages before these offsets are delivered: the offsets that moved. */
  deliveredTo(next: readonly number[]): WebhookOffset[] {
    const moved = offsets(next).filter(({ partition, offset }) => offset > (this.#next[partition] ?? 0));
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
    this.#unrecorded += 1;
    this.#recorded = this.#recorded
      .then(() => record(attempt))
      .finally(() => {
        this.#unrecorded -= 1;
      });
    await this.#recorded;
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

  /** Publishes pending records at once. */
  hurry(): void {
    if (this.#unrecorded > 0) this.#context.hurry();
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
