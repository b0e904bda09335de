import type { WebhookProgress } from '#records/types.ts';
import { partitionHash } from '#streams/client/port.ts';
import { settlesWithin } from '#timing/clock.ts';
import { attemptOf, type DeliveryProgress } from '#webhooks/progress.ts';
import type { DeliveryFigures, DeliveryState } from '../metrics.ts';
import { type DeliveryContext, SubscriptionDelivery } from './delivery.ts';
import type { MessageSource } from './message-source.ts';
import type { MessageAtOffset } from './message-window.ts';
import type { WebhookSubscriptions } from './subscriptions.ts';

type DispatcherOptions = {
  readonly context: DeliveryContext & {
    readonly messages: Pick<MessageSource, 'bounds'>;
  };
  readonly subscriptions: WebhookSubscriptions;
  /** Number of partitions of webhook-attempts; the hash of a subscription's id chooses its partition. */
  readonly partitions: number;
};

/** A partition of subscriptions that this process owns. */
type OwnedPartition = {
  /** Committed progress, or that of a closed delivery, by subscription. */
  readonly progress: Map<string, WebhookProgress>;
  readonly deliveries: Map<string, SubscriptionDelivery>;
  /** Removed subscriptions whose removal is recorded already. */
  readonly removed: Set<string>;
};

/** All deliveries of a process, for the subscriptions in its partitions. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #owned = new Map<number, OwnedPartition>();
  #isDraining = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Starts the deliveries of a partition's subscriptions, from committed progress. */
  claim(partition: number, progress: ReadonlyMap<string, WebhookProgress>): void {
    if (this.#isDraining) return;
    this.#owned.set(partition, { progress: new Map(progress), deliveries: new Map(), removed: new Set() });
    this.#refresh(partition);
    this.#resendBeyondEnd([...progress.values()]).catch((error: unknown) =>
      this.#options.context.log.warn({ err: error }, 'the ends of webhook-messages cannot be read'),
    );
  }

  /** Applies committed progress of a partition; null for a removed subscription. */
  applyCommitted(partition: number, changed: ReadonlyMap<string, DeliveryProgress>): void {
    const owned = this.#owned.get(partition);
    if (owned === undefined) return;
    for (const [id, progress] of changed) {
      if (progress === null) {
        owned.progress.delete(id);
        continue;
      }
      owned.progress.set(id, progress);
      owned.deliveries.get(id)?.applyOrder(progress);
    }
  }

  /** Closes the deliveries of a partition immediately. */
  async release(partition: number): Promise<void> {
    const owned = this.#owned.get(partition);
    this.#owned.delete(partition);
    await Promise.all(Array.from(owned?.deliveries.values() ?? [], (delivery) => delivery.close()));
  }

  /** Applies changed subscriptions. */
  refresh(): void {
    for (const partition of this.#owned.keys()) this.#refresh(partition);
  }

  /** Whether this process delivers to no subscription. */
  get isIdle(): boolean {
    return this.#deliveries().next().done === true;
  }

  /** Offers new messages to all deliveries, those of one fetch together, so that they share requests. */
  offer(messages: readonly MessageAtOffset[]): void {
    for (const delivery of this.#deliveries()) delivery.offer(messages);
  }

  /** Stops starting requests, and waits for pending ones for `withinMs` at most. */
  async drain(withinMs: number): Promise<void> {
    this.#isDraining = true;
    await settlesWithin(Promise.all([...this.#deliveries()].map((delivery) => delivery.drain())), withinMs);
  }

  /** Returns the current figures of the metrics. */
  figures(): DeliveryFigures {
    const states = new Map<DeliveryState, number>();
    let behind = 0;
    for (const { state, behind: records } of this.#deliveries()) {
      states.set(state, (states.get(state) ?? 0) + 1);
      if (state !== 'disabled') behind += records;
    }
    const { subscriptions, context } = this.#options;
    const sealed = [...subscriptions.all()].filter(
      ({ id, isSealed }) => isSealed && this.#owned.has(this.#partitionOf(id)),
    );
    return { states, behind, sealed: sealed.length, windowBytes: context.messages.window.bytes };
  }

  /** Returns the partition of webhook-attempts of a subscription. */
  #partitionOf(id: string): number {
    return partitionHash(Buffer.from(id)) % this.#options.partitions;
  }

  *#deliveries(): Generator<SubscriptionDelivery> {
    for (const { deliveries } of this.#owned.values()) yield* deliveries.values();
  }

  /** Starts, changes and ends the deliveries of a partition, once all clients are known. */
  #refresh(partition: number): void {
    const { subscriptions, context } = this.#options;
    const owned = this.#owned.get(partition);
    if (owned === undefined || !subscriptions.known || this.#isDraining) return;
    const { deliveries, progress } = owned;
    for (const subscription of subscriptions.all()) {
      const { id, active } = subscription;
      if (!active || this.#partitionOf(id) !== partition) continue;
      const delivery = deliveries.get(id);
      if (delivery !== undefined) delivery.change(subscription);
      else deliveries.set(id, new SubscriptionDelivery(context, subscription, progress.get(id) ?? null));
    }
    for (const [id, delivery] of deliveries) {
      if (subscriptions.get(id)?.active === true) continue;
      deliveries.delete(id);
      // Its last outcome may not be committed yet. Should the client return, it continues there.
      if (delivery.progress !== null) progress.set(id, delivery.progress);
      void delivery.close();
    }
    for (const [id, known] of progress) {
      if (subscriptions.get(id) === undefined) this.#recordRemoval(owned, known);
    }
  }

  /**
   * Resends from the start of webhook-messages to subscriptions whose progress is beyond its end: the topic was recreated,
   * or restored from a backup. Receivers recognise duplicates by their ids.
   */
  async #resendBeyondEnd(progress: readonly WebhookProgress[]): Promise<void> {
    if (progress.length === 0) return;
    const { messages, attempts, now, log } = this.#options.context;
    const bounds = await messages.bounds();
    const next = bounds.map(({ start: offset }, partition) => ({ partition, offset }));
    for (const { subscription_id, client_id, epoch, next: reached } of progress) {
      if (reached.every(({ partition, offset }) => offset <= (bounds[partition]?.end ?? 0))) continue;
      log.error(
        { client: client_id, subscription: subscription_id, code: 'POSITION_LOST' },
        'webhook-messages ends before the delivered offset: its messages are sent from the start',
      );
      const head = { subscription_id, client_id, kind: 'resent', epoch, at: now() } as const;
      await attempts.record(attemptOf(head, { reason: 'POSITION_LOST', next }));
    }
  }

  /** Records the removal of a subscription, once. */
  #recordRemoval(owned: OwnedPartition, { subscription_id, client_id, epoch }: WebhookProgress): void {
    if (owned.removed.has(subscription_id)) return;
    owned.removed.add(subscription_id);
    const { attempts, now, log } = this.#options.context;
    const removal = attemptOf({ subscription_id, client_id, kind: 'removed', epoch, at: now() });
    attempts.record(removal).catch((error: unknown) => {
      owned.removed.delete(subscription_id);
      log.debug({ err: error }, 'the removal of a webhook was not recorded');
    });
  }
}
