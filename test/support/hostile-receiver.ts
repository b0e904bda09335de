import { verify } from '#signing/signing.ts';
import { answers, type HostileAnswer, HttpsReceiver, type ReceivedRequest } from './https-receiver.ts';

/** What a test publishes as a message: the nth of its event, from 1. */
export type Numbered = { readonly uuid: string; readonly event: number; readonly n: number };

/** A request that was answered `Accepted`. */
export type AcceptedRequest = {
  /** Unix milliseconds of the answer. */
  readonly at: number;
  readonly messages: readonly Numbered[];
  /** Index of the secret that signed it; -1 where none did. */
  readonly signedBy: number;
  /** The connection was about to be closed: the sender may never have read the answer. */
  readonly isUncertain: boolean;
};

/** Asks the sender to wait for a second. */
const tooMany: HostileAnswer = (response) => void response.writeHead(429, { 'retry-after': '1' }).end();
const gone: HostileAnswer = (response) => void response.writeHead(410).end();

/** Every way in which a receiver refuses a request, by name. */
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
/** Longest time until a kept connection is dropped, milliseconds: mostly in the middle of the next request. */
const DROP_MS = 40;

/** Deals cards, all of them in any order before the first comes again. */
function dealer<T>(cards: readonly T[], random: () => number): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = [...cards];
    return left.splice(Math.floor(random() * left.length), 1)[0] as T;
  };
}

/**
 * A customer's receiver that refuses requests in every known way, and closes kept connections. It keeps what it accepted;
 * what it refused counts as never received.
 */
export class HostileReceiver {
  readonly accepted: AcceptedRequest[] = [];
  /** How often each fault was made. */
  readonly counts: Record<string, number> = { [DROPPED]: 0 };
  /** It refuses everything in this way while it is set. */
  refusal: HostileAnswer | null = null;
  /** It never takes a request with one of these messages. */
  readonly poison = new Set<string>();
  /** The signing secrets that it knows. */
  readonly secrets: string[];
  readonly #rate: number;
  readonly #random: () => number;
  readonly #nextFault: () => string;
  #receiver: HttpsReceiver | null = null;

  private constructor(secret: string, rate: number, random: () => number) {
    this.secrets = [secret];
    this.#rate = rate;
    this.#random = random;
    this.#nextFault = dealer([...Object.keys(FAULTS), DROPPED], random);
    for (const name of Object.keys(FAULTS)) this.counts[name] = 0;
  }

  /** `rate`: the share of requests that meet a fault. */
  static async start(secret: string, rate: number, random: () => number): Promise<HostileReceiver> {
    const hostile = new HostileReceiver(secret, rate, random);
    hostile.#receiver = await HttpsReceiver.start((response, request, n) =>
      hostile.#answer(response, request, n),
    );
    return hostile;
  }

  get url(): string {
    return this.#receiver?.url ?? '';
  }

  /** The uuids of all messages that it accepted. */
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

/** The uuid of the nth message of an event. */
export const uuidOf = (event: number, n: number) => `${event}-${n}`;

/** The first message that came before one of its event that it follows; null where each event's order was kept. */
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

/** How many requests a dispatcher that is killed leaves unrecorded: one accepted, and the next. */
const UNRECORDED = 2;
/** A request may be answered so long after its sender was killed, milliseconds. */
const LATE_MS = 1_000;

/** What was accepted between these times may be sent again, Unix milliseconds. */
export type OrderTime = { readonly from: number; readonly until: number };

/**
 * Requests that were accepted and whose messages were accepted again for no reason: not one of the few that a killed
 * dispatcher had not recorded, nor one whose answer may not have been read, nor one that an order for the webhook overtook.
 * `kills` are Unix milliseconds.
 */
export function unexplainedRepeats(
  accepted: readonly AcceptedRequest[],
  kills: readonly number[],
  orders: readonly OrderTime[] = [],
): AcceptedRequest[] {
  const latest = new Map<string, AcceptedRequest>();
  const excused = new Map<number, Set<AcceptedRequest>>(kills.map((kill) => [kill, new Set()]));
  const unexplained = new Set<AcceptedRequest>();
  for (const request of accepted) {
    for (const { uuid } of request.messages) {
      const before = latest.get(uuid);
      latest.set(uuid, request);
      if (before === undefined || before.isUncertain) continue;
      const isBetween = (time: number) => time > before.at - LATE_MS && time <= request.at;
      if (orders.some(({ from, until }) => from - LATE_MS <= before.at && before.at <= until)) continue;
      const kill = kills.find(
        (time) =>
          isBetween(time) && (excused.get(time)?.has(before) || (excused.get(time)?.size ?? 0) < UNRECORDED),
      );
      if (kill === undefined) unexplained.add(before);
      else excused.get(kill)?.add(before);
    }
  }
  return [...unexplained];
}
