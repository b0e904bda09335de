import type { Registry } from 'prom-client';
import type { WebhookProgress } from '#records/types.ts';
import { metersOf } from '#service/meters.ts';
import { partitionOfKey } from '#streams/client/port.ts';
import { settlesWithin } from '#timing/clock.ts';
import { type DeliveryContext, SubscriptionDelivery } from './delivery.ts';
import type { MessageAtOffset, MessageReader } from './message-reader.ts';
import type { ProgressLog } from './progress-log.ts';
import { moved } from './subscription-progress.ts';
import type { WebhookSubscriptions } from './subscriptions.ts';

type DispatcherOptions = {
  readonly context: Omit<DeliveryContext, 'progressLog'> & {
    readonly messages: Pick<MessageReader, 'bounds'>;
  };
  readonly subscriptions: WebhookSubscriptions;
  /** Number of partitions of webhook-progress; the hash of a subscription's id chooses its partition. */
  readonly partitions: number;
};

type OwnedPartition = {
  /** Progress at the claim, or that of a closed delivery, by subscription. */
  readonly progress: Map<string, WebhookProgress>;
  readonly progressLog: Pick<ProgressLog, 'write' | 'flush'>;
  readonly deliveries: Map<string, SubscriptionDelivery>;
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
  async claim(
    partition: number,
    progress: ReadonlyMap<string, WebhookProgress>,
    progressLog: OwnedPartition['progressLog'],
  ): Promise<void> {
    const known = await this.#withinLog(progress, progressLog);
    if (this.#isDraining) return;
    this.#owned.set(partition, { progress: known, progressLog, deliveries: new Map() });
    this.#refresh(partition);
  }

  owns(partition: number): boolean {
    return this.#owned.has(partition);
  }

  async release(partition: number): Promise<void> {
    const owned = this.#owned.get(partition);
    this.#owned.delete(partition);
    await Promise.all(Array.from(owned?.deliveries.values() ?? [], (delivery) => delivery.close()));
  }

  refresh(): void {
    for (const partition of this.#owned.keys()) this.#refresh(partition);
  }

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

  figures() {
    const states = new Map<SubscriptionDelivery['state'], number>();
    /** Records up to the end of webhook-messages, summed over those that are not disabled. */
    let behind = 0;
    for (const { state, behind: records } of this.#deliveries()) {
      states.set(state, (states.get(state) ?? 0) + 1);
      if (state !== 'disabled') behind += records;
    }
    const { subscriptions, context } = this.#options;
    const sealed = subscriptions
      .all()
      .filter(({ id, isSealed }) => isSealed && this.#owned.has(this.#partitionOf(id)));
    return { states, behind, sealed: sealed.length, windowBytes: context.messages.window.bytes };
  }

  #partitionOf(id: string): number {
    return partitionOfKey(id, this.#options.partitions);
  }

  *#deliveries(): Generator<SubscriptionDelivery> {
    for (const { deliveries } of this.#owned.values()) yield* deliveries.values();
  }

  /** Starts, changes and ends the deliveries of a partition, once all clients are known. */
  #refresh(partition: number): void {
    const { subscriptions, context } = this.#options;
    const owned = this.#owned.get(partition);
    if (owned === undefined || !subscriptions.known || this.#isDraining) return;
    const { deliveries, progress, progressLog } = owned;
    const known = new Map(subscriptions.all().map((subscription) => [subscription.id, subscription]));
    for (const subscription of known.values()) {
      const { id, active } = subscription;
      if (!active || this.#partitionOf(id) !== partition) continue;
      const delivery = deliveries.get(id);
      if (delivery !== undefined) {
        delivery.change(subscription);
        continue;
      }
      const of = { ...context, progressLog };
      deliveries.set(id, new SubscriptionDelivery(of, subscription, progress.get(id) ?? null));
    }
    const closed = new Map<string, Promise<void>>();
    for (const [id, delivery] of deliveries) {
      if (known.get(id)?.active === true) continue;
      deliveries.delete(id);
      // Should the client return, it continues there.
      const keep = (): void => {
        if (delivery.progress !== null && !deliveries.has(id)) progress.set(id, delivery.progress);
      };
      keep();
      closed.set(id, delivery.close().then(keep));
    }
    for (const id of progress.keys()) {
      if (known.has(id)) continue;
      const remove = (): Promise<void> => {
        progress.delete(id);
        return progressLog.write(id, null).catch(() => {});
      };
      // A request that was accepted meanwhile is still recorded.
      void (closed.get(id)?.then(remove) ?? remove());
    }
  }

  /** Returns progress within webhook-messages: from the start where it is beyond the end of a recreated or restored topic. */
  async #withinLog(
    progress: ReadonlyMap<string, WebhookProgress>,
    progressLog: OwnedPartition['progressLog'],
  ): Promise<Map<string, WebhookProgress>> {
    const { messages, log } = this.#options.context;
    const known = new Map(progress);
    const bounds = await messages.bounds().catch((error: unknown) => {
      log.warn({ err: error }, 'the ends of webhook-messages cannot be read');
      return [];
    });
    const starts = bounds.map(({ start: offset }, partition) => ({ partition, offset }));
    for (const [id, of] of progress) {
      if (of.next.every(({ partition, offset }) => offset <= (bounds[partition]?.end ?? offset))) continue;
      log.error(
        { client: of.client_id, subscription: id, code: 'POSITION_LOST' },
        'webhook-messages ends before the delivered offset: its messages are sent from the start',
      );
      const restarted = { ...of, next: moved(of.next, starts, Math.min) };
      known.set(id, restarted);
      // At once: soon the log may reach beyond the old offset.
      progressLog.write(id, restarted).catch(() => {});
    }
    return known;
  }
}

const STATES = ['delivering', 'failing', 'disabled'] as const;
/** The state of a subscription that no key opens: it has no delivery. */
const SEALED = 'sealed';

/** Registers the gauges of deliveries, which are read on each scrape. `unclaimed`: number of assigned partitions that it does not deliver. */
export function registerDeliveryGauges(
  registry: Registry,
  dispatcher: Dispatcher,
  unclaimed: () => number,
): void {
  const { measure, sampled } = metersOf(registry);
  const byState = 'Webhook subscriptions that this process delivers, by state.';
  sampled('touchline_dispatcher_subscriptions', byState, ['state'], (gauge) => {
    const { states, sealed } = dispatcher.figures();
    for (const state of STATES) gauge.set({ state }, states.get(state) ?? 0);
    gauge.set({ state: SEALED }, sealed);
  });
  measure(
    'touchline_dispatcher_unclaimed_partitions',
    'Partitions of webhook-progress that the group has assigned to this process, and that it does not deliver yet.',
    unclaimed,
  );
  measure(
    'touchline_dispatcher_behind_records',
    'Records between subscriptions and the end of webhook-messages, summed over all that are not disabled.',
    () => dispatcher.figures().behind,
  );
  measure(
    'touchline_dispatcher_window_bytes',
    'Bytes of the latest messages in memory, shared by all subscriptions.',
    () => dispatcher.figures().windowBytes,
  );
}
