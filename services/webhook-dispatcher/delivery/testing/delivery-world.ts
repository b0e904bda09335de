import { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import { sealWebhook } from '#clients/webhooks.ts';
import type { DeliveryOutcome } from '#outbound/endpoint.ts';
import type { WebhookMessage, WebhookProgress } from '#records/types.ts';
import { silentLogger } from '#streams/log.ts';
import { untilTrue } from '../../../../test/support/poll.ts';
import { dispatcherMetrics } from '../../metrics.ts';
import { type DeliveryContext, SubscriptionDelivery } from '../delivery.ts';
import { ExpiredError } from '../message-backlog.ts';
import { type MessageAtOffset, MessageWindow } from '../message-reader.ts';
import type { DeliveryProgress } from '../progress-log.ts';
import type { Subscription } from '../subscriptions.ts';

const WEBHOOK = { url: 'https://a.example/', secret: 'x'.repeat(32) };

export const SUBSCRIPTION: Subscription = {
  ...sealWebhook(1, WEBHOOK, Buffer.alloc(32), { created_at: 0 }),
  ...WEBHOOK,
  id: 's',
  clientId: 1,
  active: true,
  isSealed: false,
  competitions: null,
  types: null,
};

function message(partition: number, offset: number, change: Partial<WebhookMessage> = {}): MessageAtOffset {
  const uuid = `${partition}:${offset}`;
  return {
    offset,
    message: {
      uuid,
      id: 1,
      event_id: partition,
      competition_id: 7,
      type: 'incident',
      in_play: false,
      version: 1,
      ut: 0,
      received_at: 0,
      message_id: `m-${uuid}`,
      message: Buffer.from(JSON.stringify(uuid)),
      ...change,
    },
  };
}

export const ACCEPTED: DeliveryOutcome = { kind: 'accepted' };

/** A log of messages in memory, a receiver with given answers, and the records of a delivery. */
export class DeliveryWorld {
  readonly log: MessageAtOffset[][] = [[], []];
  readonly window: MessageWindow;
  /** Bodies of the requests, in order. */
  readonly posted: string[][] = [];
  readonly records: WebhookProgress[] = [];
  /** The answers to requests; the last one repeats. */
  answers: DeliveryOutcome[] = [ACCEPTED];
  /** Answers a request instead of `answers`. */
  answer: ((body: Buffer | string, secret: string) => DeliveryOutcome | Promise<DeliveryOutcome>) | null =
    null;
  /** Secrets of the endpoints that were closed. */
  readonly closed: string[] = [];
  /** Messages before this offset have expired. */
  start = 0;
  now = 1_000_000;
  progress: DeliveryProgress = null;
  readonly deliveries: SubscriptionDelivery[] = [];
  #hold: Promise<void> | null = null;

  constructor(windowBytes = 1_000_000, ends = [0, 0]) {
    this.window = new MessageWindow(ends, windowBytes);
  }

  /** Creates a world whose delivery has started, with the next offset of each partition. */
  static startedAt(...offsets: number[]): DeliveryWorld {
    const world = new DeliveryWorld();
    world.progress = started(...offsets);
    return world;
  }

  /** Publishes `count` messages to a partition. */
  publish(partition: number, count: number, change: Partial<WebhookMessage> = {}): void {
    const known = this.log[partition] ?? [];
    const fresh = Array.from({ length: count }, (_, at) => message(partition, known.length + at, change));
    known.push(...fresh);
    this.window.add(partition, fresh, known.length);
    for (const delivery of this.deliveries) delivery.offer(fresh);
  }

  /** Holds requests until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hold = promise;
    return () => {
      this.#hold = null;
      resolve();
    };
  }

  /** Starts a delivery, and waits until its first request is pending. `release` lets the request continue. */
  async deliverHeld(): Promise<{ delivery: SubscriptionDelivery; release: () => void }> {
    const release = this.hold();
    const delivery = this.deliver();
    await untilTrue('a request is pending', () => this.posted.length === 1, 5_000);
    return { delivery, release };
  }

  /** Starts a delivery, which is closed with the test. */
  deliver(change: Partial<DeliveryContext> = {}, subscription = SUBSCRIPTION): SubscriptionDelivery {
    const context = { ...this.context(), ...change };
    const delivery = new SubscriptionDelivery(context, subscription, this.progress);
    this.deliveries.push(delivery);
    onTestFinished(() => delivery.close());
    return delivery;
  }

  /** Returns what the deliveries of this world share. */
  context(): DeliveryContext {
    const startOf = async () => this.log.map(({ length }) => length);
    return {
      messages: { partitions: this.log.length, startOf, window: this.window },
      backlog: {
        read: async (partition, offset) => {
          if (offset < this.start) throw new ExpiredError({ start: this.start, end: 99 }, null);
          const messages = (this.log[partition] ?? []).slice(offset, offset + 3);
          return { messages, next: offset + messages.length };
        },
      },
      openEndpoint: ({ secret }) => ({
        post: async (body, signal = new AbortController().signal) => {
          this.posted.push(JSON.parse(body.toString()));
          if (this.answer !== null) return this.answer(body, secret);
          const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          if (this.#hold !== null) await Promise.race([this.#hold, aborted]);
          if (signal.aborted) return { kind: 'failed', reason: 'STOPPED' };
          return (this.answers.length > 1 ? this.answers.shift() : this.answers[0]) ?? ACCEPTED;
        },
        close: async () => void this.closed.push(secret),
      }),
      progressLog: { write: (_, progress) => this.write(progress), flush: () => {} },
      limits: { messages: 3, bytes: 10_000 },
      delaysMs: [1, 2],
      disableAfterMs: 3_600_000,
      now: () => this.now,
      random: () => 0.5,
      metrics: dispatcherMetrics(new Registry()),
      log: silentLogger,
    };
  }

  /** Commits a progress. */
  async write(progress: DeliveryProgress): Promise<void> {
    if (progress !== null) this.records.push(progress);
    this.progress = progress;
  }

  /** Waits until `count` messages were posted, and returns them. */
  async has(count: number): Promise<string[]> {
    await untilTrue(`${count} messages were posted`, () => this.posted.flat().length >= count, 5_000);
    return this.posted.flat();
  }

  /** Waits until progress is recorded up to an offset of partition 0. */
  async reached(offset: number): Promise<void> {
    await untilTrue(`${offset} is recorded`, () => this.progress?.next[0]?.offset === offset, 5_000);
  }

  /** Waits until a progress like this is committed, and returns the last one. */
  async recorded(is: (progress: WebhookProgress) => boolean = () => true): Promise<WebhookProgress> {
    await untilTrue('it is recorded', () => this.records.some(is), 5_000);
    return this.records.findLast(is) as WebhookProgress;
  }
}

export const started = (...at: number[]): WebhookProgress => ({
  subscription_id: 's',
  client_id: 1,
  epoch: 0,
  attempts: 0,
  failing_since: null,
  next_attempt_at: null,
  last_outcome: null,
  last_reason: null,
  delivered_at: null,
  left_out: 0,
  disabled: null,
  updated_at: 0,
  next: at.map((offset, partition) => ({ partition, offset })),
});

export const texts = (partition: number, from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `${partition}:${from + at}`);
