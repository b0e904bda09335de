/** Sends messages of live matches at a rate, and measures the time until each was seen. */
import { setTimeout as delay } from 'node:timers/promises';
import { withStreamClient } from '#cluster/access.ts';
import { countOffsets } from './kafka.ts';
import { BenchMatch, type TimedMessage } from './matches.ts';

const MATCHES = 100;
const MESSAGES_OF_A_MATCH = 200;
const SEEN_TIMEOUT_MS = 60_000;
const POLL_MS = 5;
/** Time without a change after which a count stands still, and the maximum wait for it. */
const STILL_MS = 500;
const STILL_WITHIN_MS = 120_000;

/** Calls `send` at fixed times, without waiting for earlier calls. */
export async function pace(messages: number, perSecond: number, send: () => void): Promise<void> {
  const started = performance.now();
  for (let sent = 0; sent < messages; sent++) {
    const due = started + (sent * 1_000) / perSecond;
    while (performance.now() < due) await delay(Math.max(0, Math.floor(due - performance.now())));
    send();
  }
}

/** Yields messages of live matches in turns, without end. */
export function* liveMessages(): Generator<TimedMessage, never> {
  for (let first = 0; ; first += MATCHES) {
    const live = Array.from({ length: MATCHES }, (_, i) => new BenchMatch(first + i, MESSAGES_OF_A_MATCH, i));
    for (let step = 0; step < MESSAGES_OF_A_MATCH; step++) for (const match of live) yield match.next();
  }
}

/** Messages of live matches, and the way in which each is sent. */
export type LiveSource = {
  readonly messages: Generator<TimedMessage, never>;
  /** Resolves when the message is accepted. */
  send(message: TimedMessage): Promise<void>;
};

/**
 * Sends messages at a rate, one of a match at a time: the state after a batch names only one of two messages as its cause. `onSend` is
 * called at the time at which each is due. Resolves when all are accepted.
 */
export async function sendLive(
  { messages, send }: LiveSource,
  { count, perSecond }: { readonly count: number; readonly perSecond: number },
  onSend: (message: TimedMessage) => void = () => {},
): Promise<void> {
  const accepted = new Map<number, Promise<void>>();
  await pace(count, perSecond, () => {
    const message = messages.next().value;
    onSend(message);
    const before = accepted.get(message.eventId) ?? Promise.resolve();
    accepted.set(
      message.eventId,
      before.then(() => send(message)),
    );
  });
  await Promise.all(accepted.values());
}

/**
 * Waits until a topic has grown and no longer grows, and what `also` counts too. Returns since when both stand still, by
 * `performance.now()`, up to `STILL_MS` late.
 */
export async function untilStill(
  brokers: readonly string[],
  topic: string,
  also: () => Promise<number> = async () => 0,
): Promise<number> {
  return withStreamClient(brokers, 'bench', async (client) => {
    const until = performance.now() + STILL_WITHIN_MS;
    let since = performance.now();
    for (let seen = -1; performance.now() < until; await delay(STILL_MS)) {
      const now = (await countOffsets(client, topic)) + (await also());
      if (now === seen && now > 0) return since;
      if (now !== seen) since = performance.now();
      seen = now;
    }
    throw new Error(`${topic} is empty or still grows`);
  });
}

/** Send times of messages that were not seen yet. Each has a mark that grows within its event: a seen one covers all earlier ones. */
export class Pending {
  readonly #byEvent = new Map<number, { mark: number; sentAt: number }[]>();
  #count = 0;
  #latencies: number[] = [];

  sent(eventId: number, mark: number): void {
    const list = this.#byEvent.get(eventId) ?? [];
    this.#byEvent.set(eventId, list);
    list.push({ mark, sentAt: performance.now() });
    this.#count += 1;
  }

  /** `at`: by `performance.now()`. */
  seen(eventId: number, mark: number, at: number): void {
    const list = this.#byEvent.get(eventId) ?? [];
    while (list[0] !== undefined && list[0].mark <= mark) {
      this.#latencies.push(at - list[0].sentAt);
      this.#count -= 1;
      list.shift();
    }
  }

  /** Whether a message of the event was not seen yet. */
  awaits(eventId: number): boolean {
    return (this.#byEvent.get(eventId)?.length ?? 0) > 0;
  }

  /** Waits until all sent messages were seen, and returns the latencies since the last call, milliseconds. */
  async settle(): Promise<number[]> {
    const until = performance.now() + SEEN_TIMEOUT_MS;
    while (this.#count > 0) {
      if (performance.now() > until) throw new Error(`${this.#count} messages were sent and never seen`);
      await delay(POLL_MS);
    }
    const latencies = this.#latencies;
    this.#latencies = [];
    return latencies;
  }
}
