import { partitionHash } from '#streams/client/murmur2.ts';
import type { WebhookProgress } from '#topics/generated/types.ts';
import { attemptOf, type Progress } from '#webhooks/progress.ts';
import type { DispatcherSource } from '../metrics.ts';
import { Delivery, type DeliveryContext, type DeliveryState } from './delivery.ts';
import type { PlacedMessage } from './message-window.ts';
import type { Subscriptions } from './subscriptions.ts';

export type DelivererOptions = {
  readonly context: DeliveryContext;
  readonly subscriptions: Subscriptions;
  /** Partitions of webhook-attempts, over which subscriptions are shared by the hash of their ids. */
  readonly partitions: number;
};

/** A partition of subscriptions that this process owns. */
type Owned = {
  /** As committed, or as a delivery left it that was closed. */
  readonly progress: Map<string, WebhookProgress>;
  readonly deliveries: Map<string, Delivery>;
  /** Gone subscriptions that were said to be. */
  readonly removed: Set<string>;
};

/** All deliveries of a process: those of the subscriptions in the partitions that it owns. */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #owned = new Map<number, Owned>();
  #isDraining = false;

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  /** Begins to deliver the subscriptions of a partition, from what is committed of them. */
  own(partition: number, progress: ReadonlyMap<string, WebhookProgress>): void {
    if (this.#isDraining) return;
    this.#owned.set(partition, { progress: new Map(progress), deliveries: new Map(), removed: new Set() });
    this.#refresh(partition);
  }

  /** Takes committed progress of a partition; null is that of a subscription that is gone. */
  committed(partition: number, changed: ReadonlyMap<string, Progress>): void {
    const owned = this.#owned.get(partition);
    if (owned === undefined) return;
    for (const [id, progress] of changed) {
      if (progress === null) {
        owned.progress.delete(id);
        continue;
      }
      owned.progress.set(id, progress);
      owned.deliveries.get(id)?.obey(progress);
    }
  }

  /** Ends the deliveries of a partition at once. */
  async release(partition: number): Promise<void> {
    const owned = this.#owned.get(partition);
    this.#owned.delete(partition);
    await Promise.all(Array.from(owned?.deliveries.values() ?? [], (delivery) => delivery.close()));
  }

  /** Subscriptions have changed. */
  refresh(): void {
    for (const partition of this.#owned.keys()) this.#refresh(partition);
  }

  /** There are new messages. */
  offer(messages: readonly PlacedMessage[]): void {
    for (const delivery of this.#deliveries()) delivery.offer(messages);
  }

  /** Begins nothing new, and waits for what is under way, so long at most. */
  async drain(withinMs: number): Promise<void> {
    this.#isDraining = true;
    const { promise: timeUp, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    const drained = Promise.all([...this.#deliveries()].map((delivery) => delivery.drain()));
    await Promise.race([drained, timeUp]);
    clearTimeout(timer);
  }

  /** For the metrics. */
  source(): DispatcherSource {
    const states = new Map<DeliveryState, number>();
    let behind = 0;
    for (const { state, behind: records } of this.#deliveries()) {
      states.set(state, (states.get(state) ?? 0) + 1);
      if (state !== 'disabled') behind += records;
    }
    return { states, behind, windowBytes: this.#options.context.window.bytes };
  }

  *#deliveries(): Generator<Delivery> {
    for (const { deliveries } of this.#owned.values()) yield* deliveries.values();
  }

  /** Before all clients are known, a subscription that is not known may be there all the same. */
  #refresh(partition: number): void {
    const { subscriptions, partitions, context } = this.#options;
    const owned = this.#owned.get(partition);
    if (owned === undefined || !subscriptions.known || this.#isDraining) return;
    const { deliveries, progress } = owned;
    for (const subscription of subscriptions.all()) {
      const { id, active } = subscription;
      if (partitionHash(Buffer.from(id)) % partitions !== partition) continue;
      const delivery = deliveries.get(id);
      if (!active) continue;
      if (delivery !== undefined) delivery.change(subscription);
      else deliveries.set(id, new Delivery(context, subscription, progress.get(id) ?? null));
    }
    for (const [id, delivery] of deliveries) {
      if (subscriptions.get(id)?.active === true) continue;
      deliveries.delete(id);
      // What it has done may be on its way still: it goes on from there should the client come back.
      if (delivery.progress !== null) progress.set(id, delivery.progress);
      void delivery.close();
    }
    for (const [id, known] of progress) {
      if (subscriptions.get(id) === undefined) this.#forget(owned, known);
    }
  }

  #forget(owned: Owned, { subscription_id, client_id, epoch }: WebhookProgress): void {
    if (owned.removed.has(subscription_id)) return;
    owned.removed.add(subscription_id);
    const { record, now, log } = this.#options.context;
    const gone = attemptOf({ subscription_id, client_id, kind: 'removed', epoch, at: now() });
    record(gone).catch((error: unknown) => {
      owned.removed.delete(subscription_id);
      log.debug({ err: error }, 'the removal of a webhook was not recorded');
    });
  }
}
