import { verify } from '#signing/signing.ts';
import { answers, type HostileAnswer, HttpsReceiver, type ReceivedRequest } from './https-receiver.ts';

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

export const uuidOf = (event: number, n: number) => `${event}-${n}`;

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
