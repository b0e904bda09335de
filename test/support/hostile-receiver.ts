import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { WebhookMessage } from '#records/types.ts';
import { verify } from '#signing/signing.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { FAULT_TIMEOUT_MS, times } from './harness.ts';
import { answers, type HostileAnswer, HttpsReceiver, type ReceivedRequest } from './https-receiver.ts';
import { quietLog } from './log.ts';
import type { PipelineConnection } from './pipeline.ts';
import { untilTrue } from './poll.ts';
import type { TestService } from './processes.ts';
import { startDispatcher } from './webhooks.ts';

/** A message of a test: the nth of its event, from 1. */
export type Numbered = { readonly uuid: string; readonly event: number; readonly n: number };

export type AcceptedRequest = {
  readonly at: number;
  readonly messages: readonly Numbered[];
  /** Index of the secret that signed the request; -1 for none. */
  readonly signedBy: number;
  /** Whether the connection was about to be closed, so that the sender may not have read the answer. */
  readonly isUncertain: boolean;
};

/** Answers 429 and asks the sender to wait for a second. */
const tooMany: HostileAnswer = (response) => void response.writeHead(429, { 'retry-after': '1' }).end();
const gone: HostileAnswer = (response) => void response.writeHead(410).end();

/** All ways in which a receiver refuses a request, by name. */
const FAULTS: Readonly<Record<string, HostileAnswer>> = {
  timeout: answers.silent,
  reset: answers.reset,
  drip: answers.drip,
  huge_body: answers.huge,
  another_body: answers.otherText,
  newline: answers.newline,
  cut_body: answers.cut,
  redirect: answers.redirect,
  500: answers.error,
  429: tooMany,
  410: gone,
};
const DROPPED = 'dropped_keep_alive';
/** Maximum time until a kept connection is dropped, milliseconds: mostly in the middle of the next request. */
const DROP_MS = 40;

/** Returns a function that returns all values in random order before it repeats one. */
function dealer<T>(cards: readonly T[], random: () => number): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = [...cards];
    return left.splice(Math.floor(random() * left.length), 1)[0] as T;
  };
}

/**
 * A customer's receiver that refuses requests in every known way, and closes kept connections. It stores accepted
 * requests; refused ones count as never received.
 */
export class HostileReceiver {
  readonly accepted: AcceptedRequest[] = [];
  readonly counts: Record<string, number> = { [DROPPED]: 0 };
  /** While it is set, the receiver refuses every request in this way. */
  refusal: HostileAnswer | null = null;
  /** Messages that the receiver never accepts. */
  readonly poison = new Set<string>();
  readonly secrets: string[];
  readonly #rate: number;
  readonly #random: () => number;
  readonly #nextFault: () => string;
  url = '';

  private constructor(secret: string, rate: number, random: () => number) {
    this.secrets = [secret];
    this.#rate = rate;
    this.#random = random;
    this.#nextFault = dealer([...Object.keys(FAULTS), DROPPED], random);
    for (const name of Object.keys(FAULTS)) this.counts[name] = 0;
  }

  /** Starts a receiver. `rate` is the share of requests that it answers with a fault. */
  static async start(secret: string, rate: number, random: () => number): Promise<HostileReceiver> {
    const hostile = new HostileReceiver(secret, rate, random);
    hostile.url = (await HttpsReceiver.start(hostile.#answer)).url;
    return hostile;
  }

  uuids(since = 0): Set<string> {
    return new Set(this.accepted.slice(since).flatMap(({ messages }) => messages.map(({ uuid }) => uuid)));
  }

  #answer: HostileAnswer = (response, request, n) => {
    const messages = JSON.parse(request.body.toString()) as Numbered[];
    if (this.refusal !== null) return void this.refusal(response, request, n);
    if (messages.some(({ uuid }) => this.poison.has(uuid))) return void answers.error(response);
    const { socket } = response;
    if (this.#random() < this.#rate) {
      const fault = this.#nextFault();
      this.counts[fault] = (this.counts[fault] ?? 0) + 1;
      if (fault !== DROPPED) return void FAULTS[fault]?.(response, request, n);
      dropping.add(socket ?? {});
      setTimeout(() => socket?.destroy(), this.#random() * DROP_MS);
    }
    const signedBy = this.secrets.findIndex((secret) => isSignedBy(request, secret));
    const isUncertain = dropping.has(socket ?? {});
    this.accepted.push({ at: Date.now(), messages, signedBy, isUncertain });
    response.end('Accepted');
  };
}

/** Sockets that are about to be destroyed. */
const dropping = new WeakSet<object>();

function isSignedBy({ body, headers }: ReceivedRequest, secret: string): boolean {
  const signature = {
    timestamp: String(headers['x-signature-expiration-timestamp']),
    signature: String(headers['x-signature-sha256']),
  };
  return verify(body, signature, [secret], Date.now()) === 'ok';
}

const uuidOf = (event: number, n: number) => `${event}-${n}`;

/** Returns the first message that arrived before an earlier message of its event; null when every event is in order. */
export function outOfOrder(
  accepted: readonly AcceptedRequest[],
  skipped: ReadonlySet<string> = new Set(),
): Numbered | null {
  const highest = new Map<number, number>();
  for (const message of accepted.flatMap(({ messages }) => messages)) {
    let next = (highest.get(message.event) ?? 0) + 1;
    while (next < message.n && skipped.has(uuidOf(message.event, next))) next += 1;
    if (message.n > next) return message;
    if (message.n === next) highest.set(message.event, next);
  }
  return null;
}

/** Maximum number of messages that a killed dispatcher leaves unrecorded: those of two full requests. */
const UNRECORDED = 200;
/** Maximum time from an accepted request to the commit of its record: a quarter of a second, and a transaction on a busy machine. */
const RECORDED_MS = 3_000;
/** Maximum time between the kill of a sender and the answer to its request, milliseconds. */
const LATE_MS = 1_000;

function messagesIn(requests: Iterable<AcceptedRequest> = []): number {
  return [...requests].reduce((sum, { messages }) => sum + messages.length, 0);
}

/** Messages that were accepted between these times may be sent again. Unix milliseconds. */
export type OrderTime = { readonly from: number; readonly until: number };

/**
 * Returns accepted requests whose messages were accepted again, at a later time, without a reason. Reasons are: a killed dispatcher had
 * not recorded the request, its answer may not have been read, or a command for the webhook overtook it. `kills` are
 * Unix milliseconds.
 */
export function unexplainedRepeats(
  accepted: readonly AcceptedRequest[],
  kills: readonly number[],
  orders: readonly OrderTime[] = [],
): readonly (AcceptedRequest & { readonly again: number })[] {
  const latest = new Map<string, AcceptedRequest>();
  const excused = new Map<number, Set<AcceptedRequest>>(kills.map((kill) => [kill, new Set()]));
  const unexplained = new Map<AcceptedRequest, number>();
  for (const request of accepted) {
    for (const { uuid } of request.messages) {
      const before = latest.get(uuid);
      latest.set(uuid, request);
      if (before === undefined || before.isUncertain) continue;
      const isBetween = (time: number) =>
        time > before.at - LATE_MS && time < before.at + RECORDED_MS && time <= request.at;
      if (orders.some(({ from, until }) => from - LATE_MS <= before.at && before.at <= until)) continue;
      const kill = kills.find(
        (time) =>
          isBetween(time) &&
          (excused.get(time)?.has(before) ||
            messagesIn(excused.get(time)) + before.messages.length <= UNRECORDED),
      );
      if (kill === undefined) unexplained.set(before, request.at);
      else excused.get(kill)?.add(before);
    }
  }
  return [...unexplained].map(([request, again]) => ({ ...request, again }));
}

export const EVENTS = times(12, 6);
const PUBLISH_EVERY_MS = times(40, 80);
/** Minimum pause before a kill, milliseconds: longer in a usual run, since each start of a dispatcher costs a second of processor. */
const KILL_PAUSE_MS = times(300, 1_200);

/** Publishes messages of several events to webhook-messages, one after the other, until it is stopped. */
export class NumberedMessages {
  readonly #connection: PipelineConnection;
  readonly published: string[] = [];
  readonly #last = new Map<number, number>();
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #poisonNext: ((uuid: string) => void) | null = null;

  constructor(connection: PipelineConnection) {
    this.#connection = connection;
  }

  async start(): Promise<void> {
    const connection = this.#connection;
    const codec = await new Registry({ url: connection.registryUrl, prefix: connection.prefix }).codec(
      'webhook-messages',
    );
    const topic = topicName(connection.prefix, 'webhook-messages');
    const publisher = await openPublisher({ brokers: connection.brokers, clientId: 'test', log: quietLog });
    this.#running = (async () => {
      for (let turn = 0; !this.#stopping.signal.aborted; turn += 1) {
        const message = this.#message(1 + (turn % EVENTS));
        await publisher.publish([{ topic, key: String(message.event_id), value: codec.encode(message) }]);
        this.published.push(message.uuid);
        await delay(PUBLISH_EVERY_MS);
      }
      await publisher.close();
    })();
    onTestFinished(() => this.stop());
  }

  /** Adds the uuid of the next message to `into` before it is published, and returns the uuid. */
  poison(into: Set<string>): Promise<string> {
    return new Promise((resolve) => {
      this.#poisonNext = (uuid) => {
        into.add(uuid);
        resolve(uuid);
      };
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  #message(event: number): WebhookMessage {
    const n = (this.#last.get(event) ?? 0) + 1;
    this.#last.set(event, n);
    const uuid = uuidOf(event, n);
    this.#poisonNext?.(uuid);
    this.#poisonNext = null;
    const [ut, received_at] = [Math.floor(Date.now() / 1_000), Date.now()];
    const message = Buffer.from(JSON.stringify({ uuid, event, n, padding: 'x'.repeat(200) }));
    const head = { uuid, id: null, event_id: event, competition_id: 1, type: 'incident', version: n };
    return { ...head, ut, received_at, message, in_play: true, message_id: null };
  }
}

/** Two dispatchers with different names; one of them is killed and started again until `end`. */
export class KilledDispatchers {
  readonly #connection: PipelineConnection;
  readonly kills: number[] = [];
  readonly #processes: TestService[] = [];
  readonly #ending = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(connection: PipelineConnection) {
    this.#connection = connection;
  }

  async start(): Promise<void> {
    for (const at of [0, 1]) this.#processes[at] = await this.#startOne(at);
    await Promise.all(this.#processes.map((one) => one.ready()));
  }

  killOneAfterAnother(random: () => number): void {
    this.#running = (async () => {
      const { signal } = this.#ending;
      for (let at = 0; ; at = 1 - at) {
        await delay((1 + 4 * random()) * KILL_PAUSE_MS, undefined, { signal }).catch(() => {});
        if (signal.aborted) return;
        this.kills.push(Date.now());
        await this.#processes[at]?.kill();
        this.#processes[at] = await this.#startOne(at);
        await this.#processes[at]?.ready();
      }
    })();
    this.#running.catch(() => {});
  }

  /** Stops after this number of kills. */
  async end(kills: number): Promise<void> {
    await Promise.race([
      untilTrue('all kills are done', () => this.kills.length >= kills, FAULT_TIMEOUT_MS),
      this.#running,
    ]);
    this.#ending.abort();
    await this.#running;
  }

  #startOne(at: number): Promise<TestService> {
    return startDispatcher(this.#connection, {
      GROUP_INSTANCE_ID: `${this.#connection.prefix}dispatcher-${at}`,
      // Long enough that the dispatcher is back before, so that no partition moves.
      SESSION_TIMEOUT_MS: '20000',
      // Long enough to read an answer on a busy machine.
      WEBHOOK_TIMEOUT_MS: '2000',
    });
  }
}
