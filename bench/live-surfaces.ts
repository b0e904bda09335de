/** Measures the time from a message until match-state, REST, the board's stream and the webhooks of clients have it. */
import { setTimeout as delay } from 'node:timers/promises';
import { EventSource, type MessageEvent } from 'undici';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import type { BenchContext } from './context.ts';
import { Pending } from './live-load.ts';
import type { TimedMessage } from './matches.ts';
import { TopicReader } from './topic-reader.ts';
import type { Sink } from './webhook-system.ts';

/** Messages a second that are asked for by REST: as they are asked for in turns, more would be seen later than they are shown. */
const ASKED_PER_SECOND = 20;
/** Pause between two requests: without it, the requests would take cpu time from the measured system. */
const REQUEST_INTERVAL_MS = 4;

/** Interval at which the receiver of the webhooks is asked what has arrived. */
const RECEIVE_INTERVAL_MS = 100;

/** Where a message is seen, in the order of the figures. */
export const SURFACES = ['match-state', 'REST', 'the board', 'a client’s webhook'] as const;
type LiveSurface = (typeof SURFACES)[number];
export type LiveLatencies = ReadonlyMap<LiveSurface, readonly number[]>;

type SurfacesOptions = {
  readonly prefix: string;
  /** Address of the api, and a token for it. */
  readonly apiUrl: string;
  readonly token: string;
  /** Receiver of the webhooks, and the paths of the subscriptions. */
  readonly sink: Sink;
  readonly paths: readonly string[];
};

/**
 * Readers of all surfaces, which know a message by its provider's time: the second of two messages of one second is not measured. They
 * cost the broker and the api requests, and are therefore open only while latencies are measured.
 */
export class Surfaces {
  readonly #options: SurfacesOptions;
  readonly #states = new Pending();
  readonly #board = new Pending();
  readonly #rest = new Pending();
  readonly #webhooks: ReadonlyMap<string, Pending>;
  readonly #reader: TopicReader;
  readonly #stream: EventSource;
  readonly #asking: Promise<void>;
  #isOver = false;
  /** Events that are asked for by REST. */
  readonly #asked = new Set<number>();
  /** The provider's time of the last message of each event. */
  readonly #last = new Map<number, number>();
  #sent = 0;

  constructor(context: BenchContext, options: SurfacesOptions) {
    const { prefix, paths } = options;
    this.#options = options;
    this.#webhooks = new Map(paths.map((path) => [path, new Pending()]));
    const decoder = new Registry({ url: context.registryUrl, prefix }).decoder('match-state');
    this.#reader = new TopicReader({
      brokers: context.brokers,
      topic: topicName(prefix, 'match-state'),
      onRecords: async (_, records) => {
        const at = performance.now();
        for (const { value } of records) {
          if (value === null) continue;
          const { event_id, cause } = await decoder.read(value);
          this.#states.seen(event_id, cause.ut, at);
        }
      },
    });
    this.#stream = new EventSource(`${options.apiUrl}/board/events`);
    this.#stream.addEventListener('match', (event) => {
      const at = performance.now();
      const { data } = event as MessageEvent<string>;
      const { event_id, ut }: { event_id: number; ut: number } = JSON.parse(data);
      this.#board.seen(event_id, ut, at);
    });
    this.#asking = this.#ask();
  }

  /** Call when a message is due, with the messages a second of this load. */
  sent({ eventId, ut }: TimedMessage, perSecond: number): void {
    if (ut <= (this.#last.get(eventId) ?? 0)) return;
    this.#last.set(eventId, ut);
    for (const pending of [this.#states, this.#board, ...this.#webhooks.values()]) pending.sent(eventId, ut);
    if (this.#sent++ % Math.max(1, Math.round(perSecond / ASKED_PER_SECOND)) > 0) return;
    this.#rest.sent(eventId, ut);
    this.#asked.add(eventId);
  }

  /** Reads what has arrived at the receiver of the webhooks. Returns the number of messages. */
  async receive(): Promise<number> {
    const { arrivals } = await this.#options.sink.counts();
    for (const [uuid, at, path, ut] of arrivals)
      if (ut !== null) this.#webhooks.get(path)?.seen(eventOf(uuid), ut, at - performance.timeOrigin);
    return arrivals.length;
  }

  /** Waits until every message was seen on every surface. Returns the latencies since the last call, milliseconds. */
  async settle(): Promise<LiveLatencies> {
    const webhooks = Promise.all([...this.#webhooks.values()].map((pending) => pending.settle()));
    const isOver = webhooks.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([isOver, delay(RECEIVE_INTERVAL_MS, false)]))) await this.receive();
    return new Map<LiveSurface, readonly number[]>([
      ['match-state', await this.#states.settle()],
      ['REST', await this.#rest.settle()],
      ['the board', await this.#board.settle()],
      ['a client’s webhook', (await webhooks).flat()],
    ]);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#stream.close();
    await Promise.all([this.#reader.close(), this.#asking]);
  }

  /** Asks for awaited events, one request at a time and in turns: loops of their own would send more the slower the answers are. */
  async #ask(): Promise<void> {
    const { apiUrl, token } = this.#options;
    for (; !this.#isOver; await delay(REQUEST_INTERVAL_MS)) {
      const [eventId] = this.#asked;
      if (eventId === undefined) continue;
      this.#asked.delete(eventId);
      const answer = await fetch(`${apiUrl}/v2/events/${eventId}?token=${token}`);
      const text = await answer.text();
      const at = performance.now();
      if (answer.ok) this.#rest.seen(eventId, utOf(text), at);
      if (this.#rest.awaits(eventId)) this.#asked.add(eventId);
    }
  }
}

/** Returns the event of a webhook message. */
function eventOf(uuid: string): number {
  return Number(uuid.slice(0, uuid.indexOf(':')));
}

/** Returns the provider's time of the event in an answer. */
function utOf(answer: string): number {
  const { competition } = JSON.parse(answer).api.data;
  const { stage } = competition.season;
  return (stage.group ?? stage).event.ut;
}
