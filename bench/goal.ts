/** Measures the time from a goal's signed webhook to every surface, beside bare hops that carry the same messages. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'puppeteer-core';
import { createTopics } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { WATCH_PAINT } from '../services/api/board/testing/paint.ts';
import { CHROMIUM, NEEDS_CHROMIUM, startChromium } from '../test/integration/board/browser.ts';
import { type Bench, type BenchContext, quantile } from './context.ts';
import {
  bareHops,
  type Hops,
  ourHops,
  type SentGoal,
  Sightings,
  type Surfaces,
  unixNow,
} from './goal-hops.ts';
import { remove } from './kafka.ts';
import { byWebhook } from './latency.ts';
import { liveMessages, pace } from './live-load.ts';
import { machineUse, usePerMessage } from './machine-use.ts';
import { BenchMatch, type GoalMessage, type TimedMessage } from './matches.ts';
import { FIRST_ROUND, roundName, sizeOf } from './size.ts';
import { TopicReader } from './topic-reader.ts';
import { Sink } from './webhook-place.ts';

const PER_SECOND = 200;
/** One of this number of messages is a goal; the others belong to a hundred other live matches. */
const GOAL_EVERY = 10;
/** Number of matches with goals only: a surface shows the last goal of each. */
const GOAL_MATCHES = 20;
const WARM_UP = { messages: sizeOf(null, 5_000, 200), perSecond: 500 };
/** Messages that are sent after the page and the client have started, before the measurement. */
const SETTLING = sizeOf(null, 1_000, 100);
const MESSAGES = sizeOf('BENCH_MESSAGES', 5_000, 200);
const ROUNDS = sizeOf('BENCH_ROUNDS', 2, 1);
const SEEN_TIMEOUT_MS = 30_000;
/** Pause between two requests: without it, the requests would take cpu time from the measured system. */
const REQUEST_INTERVAL_MS = 4;

/** Surfaces that show a goal, in the order of the table. */
const PLACES = [
  'match-state',
  'REST',
  'the board, painted',
  'a notification of /mcp',
  'a client’s webhook',
] as const;
type Place = (typeof PLACES)[number];

const LIMITS: Partial<Record<Place, number>> = { REST: 8, 'the board, painted': 30 };

export const bench: Bench = {
  about: `a goal from its webhook to match-state, REST, board, /mcp and a client's webhook at ${PER_SECOND} messages/s`,
  subject: [
    'libs/domain',
    'libs/outbound',
    'libs/streams',
    'libs/views',
    'services/api',
    'services/match-processor',
    'services/tool-gateway',
    'services/webhook-composer',
    'services/webhook-dispatcher',
    'services/webhook-receiver',
  ],
  async run(context) {
    if (CHROMIUM === null) context.print(`the board is left out${NEEDS_CHROMIUM}`);
    const browser = CHROMIUM === null ? null : await startChromium();
    const sink = await Sink.start(context);
    const hops = [ourHops(), bareHops()] as const;
    const times = new Map(hops.map((one) => [one, new Map<Place, number[]>()]));
    try {
      for (let round = FIRST_ROUND; round <= ROUNDS; round++) {
        for (const [one, of] of times) {
          const found = await measure(context, one, { browser, sink, round });
          context.print(`${roundName(round)} ${one.name}: ${describe(found)}`);
          if (round === 0) continue;
          for (const [place, latencies] of found) of.set(place, [...(of.get(place) ?? []), ...latencies]);
        }
      }
    } finally {
      await sink.stop();
      await browser?.close();
    }
    const [ours, bare] = hops;
    report(context, times.get(ours) ?? new Map(), times.get(bare) ?? new Map());
  },
};

function report(
  context: BenchContext,
  ours: ReadonlyMap<Place, number[]>,
  bare: ReadonlyMap<Place, number[]>,
): void {
  for (const [place, latencies] of ours) {
    for (const [name, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      const figure = {
        name: `${place}, ${name}`,
        ours: quantile(latencies, share),
        unit: 'ms',
        better: 'less',
      } as const;
      const hops = quantile(bare.get(place) ?? [], share);
      context.figure({ ...figure, beside: { name: 'bare hops', value: hops } });
      const limit = LIMITS[place];
      if (share === 0.5 && limit !== undefined)
        context.figure({ ...figure, beside: { name: 'wanted', value: limit }, target: 1 });
    }
  }
}

function describe(times: ReadonlyMap<Place, readonly number[]>): string {
  const at = (of: readonly number[], share: number) => quantile(of, share).toFixed(1);
  return [...times]
    .map(([place, of]) => `${place} p50 ${at(of, 0.5)} p99 ${at(of, 0.99)} ms of ${of.length}`)
    .join('; ');
}

/** One round: starts the hops on new topics, warms them, measures, and leaves nothing behind. */
async function measure(
  context: BenchContext,
  hops: Hops,
  at: { readonly browser: Browser | null; readonly sink: Sink; readonly round: number },
): Promise<Map<Place, number[]>> {
  const { browser, sink, round } = at;
  const prefix = context.prefix(`${hops.name.replaceAll(' ', '-')}-${round}`);
  await createTopics({ brokers: context.brokers, prefix });
  await Registry.open({ url: context.registryUrl, prefix }).registerAll();
  const surfaces = await hops.start(context, prefix, sink);
  const entry = await byWebhook(context, prefix);
  const made = new Sightings();
  const states = followStates(context, { prefix, hops, made });
  const matches = Array.from({ length: GOAL_MATCHES }, (_, n) => new BenchMatch(40_000 + n, 200, n));
  const messages = mixed(matches);
  const goals: SentGoal[] = [];
  const asked = new GoalsAsked(surfaces);
  const send = async (count: number, perSecond: number, counts: boolean): Promise<void> => {
    const accepted = new Map<number, Promise<void>>();
    await pace(count, perSecond, () => {
      const message = messages.next().value;
      const { eventId, messageId } = message;
      if ('home' in message && counts) {
        const goal = { eventId, messageId, home: message.home, sentAt: unixNow() };
        goals.push(goal);
        asked.add(goal);
      }
      const before = accepted.get(eventId) ?? Promise.resolve();
      accepted.set(
        eventId,
        before.then(() => entry.send(message)),
      );
    });
    await Promise.all(accepted.values());
  };
  await send(WARM_UP.messages, WARM_UP.perSecond, false);
  const page = await browser?.newPage();
  await page?.goto(surfaces.pageUrl, { waitUntil: 'load' });
  await page?.waitForSelector('.match');
  await page?.evaluate(WATCH_PAINT);
  await surfaces.listen(matches.map(({ eventId }) => eventId));
  await send(SETTLING, PER_SECOND, false);
  await sink.counts();
  const before = await machineUse();
  await send(MESSAGES, PER_SECOND, true);
  const used = usePerMessage(before, await machineUse(), MESSAGES);
  context.print(`${roundName(round)} ${hops.name}, processor time of a message, µs: ${used}`);
  const shownAt = await asked.all();
  const arrivedAt = new Map<string, number>();
  const madeAt = ({ eventId, messageId }: SentGoal) => made.first(String(eventId), Number(messageId));
  await until('webhooks', async () => {
    for (const [uuid, arrived] of (await sink.counts()).arrivals)
      arrivedAt.set(surfaces.messageOf(uuid) ?? '', arrived);
    return goals.every(({ messageId }) => arrivedAt.has(messageId));
  });
  await until('match-state', async () => goals.every((goal) => madeAt(goal) !== null));
  await until('notifications', async () => goals.every((goal) => surfaces.notifiedAt(goal) !== null));
  const painted = (await page?.evaluate('painted')) as Record<string, number> | undefined;
  await page?.close();
  await states.close();
  await entry.close();
  await surfaces.stop();
  await remove(context.brokers, prefix);
  const seenAt: Readonly<Record<Place, (goal: SentGoal) => number | null | undefined>> = {
    'match-state': madeAt,
    REST: ({ messageId }) => shownAt.get(messageId),
    // A goal that another of its match replaced within a frame was never visible.
    'the board, painted': (goal) => painted?.[`${goal.eventId} ${hops.markOf(goal)}`],
    'a notification of /mcp': (goal) => surfaces.notifiedAt(goal),
    'a client’s webhook': ({ messageId }) => arrivedAt.get(messageId),
  };
  const latencies = (place: Place) =>
    goals.flatMap((goal) => {
      const at = seenAt[place](goal);
      return at ? [at - goal.sentAt] : [];
    });
  const places = PLACES.filter((place) => browser !== null || place !== 'the board, painted');
  return new Map(places.map((place) => [place, latencies(place)]));
}

/** Records when a read-committed reader had the state of each message; ids of messages of a match increase. */
function followStates(
  context: BenchContext,
  { prefix, hops, made }: { prefix: string; hops: Hops; made: Sightings },
): TopicReader {
  const read = hops.readState(Registry.open({ url: context.registryUrl, prefix }));
  return new TopicReader({
    brokers: context.brokers,
    topic: topicName(prefix, 'match-state'),
    async onRecords(_, records) {
      for (const { value } of records) {
        if (value === null) continue;
        const { eventId, messageId } = await read(value);
        made.note(String(eventId), Number(messageId));
      }
    },
  });
}

/**
 * Requests goals until they are shown, one request at a time and in turns: separate loops for each goal would send more
 * requests the slower the answers are.
 */
class GoalsAsked {
  readonly #surfaces: Surfaces;
  readonly #waiting = new Set<SentGoal>();
  readonly #shownAt = new Map<string, number>();
  #asking: Promise<void> | null = null;

  constructor(surfaces: Surfaces) {
    this.#surfaces = surfaces;
  }

  add(goal: SentGoal): void {
    this.#waiting.add(goal);
    this.#asking ??= this.#ask();
  }

  /** Returns the time when each goal was shown, by the id of its message. */
  async all(): Promise<ReadonlyMap<string, number>> {
    await this.#asking;
    return this.#shownAt;
  }

  async #ask(): Promise<void> {
    for (; ; await delay(REQUEST_INTERVAL_MS)) {
      const [goal] = this.#waiting;
      if (goal === undefined) break;
      const isShown = await this.#surfaces.shows(goal);
      this.#waiting.delete(goal);
      if (isShown) this.#shownAt.set(goal.messageId, unixNow());
      else if (unixNow() - goal.sentAt > SEEN_TIMEOUT_MS)
        throw new Error(`REST did not show ${goal.messageId}`);
      else this.#waiting.add(goal);
    }
    this.#asking = null;
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = unixNow() + SEEN_TIMEOUT_MS; !(await holds()); await delay(50))
    if (unixNow() > end) throw new Error(`${what} of some goals were never seen`);
}

/** Yields messages of live matches, with goals of other matches among them, without end. */
function* mixed(matches: readonly BenchMatch[]): Generator<TimedMessage | GoalMessage, never> {
  const live = liveMessages();
  for (let n = 0; ; n++) {
    const match = matches[Math.floor(n / GOAL_EVERY) % matches.length];
    if (match !== undefined && n % GOAL_EVERY === 0) yield match.goal(Math.floor(Date.now() / 1_000));
    else yield live.next().value;
  }
}
