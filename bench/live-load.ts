/** Sends messages at a rate, and measures the time until each was seen. */
import { setTimeout as delay } from 'node:timers/promises';
import { BenchMatch, type TimedMessage } from './matches.ts';

const MATCHES = 100;
const MESSAGES_OF_A_MATCH = 200;
const SEEN_TIMEOUT_MS = 60_000;
const POLL_MS = 5;

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

/** Send times of messages that were not seen yet. A seen message of an event covers all earlier ones of that event. */
export class Pending {
  readonly #byEvent = new Map<number, { id: string; sentAt: number }[]>();
  #count = 0;
  #latencies: number[] = [];

  sent(eventId: number, id: string): void {
    const list = this.#byEvent.get(eventId) ?? [];
    this.#byEvent.set(eventId, list);
    list.push({ id, sentAt: performance.now() });
    this.#count += 1;
  }

  seen(eventId: number, id: string, at: number): void {
    const list = this.#byEvent.get(eventId);
    const index = list?.findIndex((one) => one.id === id) ?? -1;
    if (list === undefined || index < 0) return;
    for (const { sentAt } of list.splice(0, index + 1)) this.#latencies.push(at - sentAt);
    this.#count -= index + 1;
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
