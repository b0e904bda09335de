import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#embedded/ports.ts';
import { createTopics } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { type Bench, type BenchContext, connectionEnv, format, quantile } from './context.ts';
import { BulkWriter, Follower, readToEnd, remove } from './kafka.ts';
import { type Running, startService } from './processes.ts';
import { positionProgress } from './progress.ts';
import { sizeOf } from './size.ts';
import { growth } from './standings-growth.ts';
import { keyOf, LiveGoals, MATCHES, partitionOf, resultOf } from './standings-season.ts';
import { WebhookClient } from './webhook-client.ts';

const SEASONS = sizeOf('BENCH_SEASONS', 20, 2);
const MESSAGES = sizeOf('BENCH_MESSAGES', 6_000, 200);
const WARM_UP = sizeOf(null, 2_000, 100);
const PER_SECOND = 200;
const LIVE_OF_A_SEASON = 5;
const TIMEOUT_MS = 300_000;
const STATES = ['to_come', 'playing', 'over'] as const;

/**
 * Measures tables of whole seasons from a backlog of match results; then goals of live matches from their signed
 * webhooks to the live table; and the cost of one more goal and one more match early and late in a season.
 */
export const bench: Bench = {
  about: `tables of ${SEASONS} seasons of ${MATCHES} matches from a backlog, and goals to the live table at ${PER_SECOND} messages/s`,
  subject: ['libs/domain/standings', 'libs/streams', 'services/standings-processor'],
  async run(context) {
    const prefix = context.prefix('tables');
    await createTopics({ brokers: context.brokers, prefix });
    const processor = await workOff(context, prefix);
    try {
      await followGoals(context, prefix);
    } finally {
      await processor.stop();
    }
    growth(context);
    const groups = ['standings-processor', 'match-processor'].map((name) => prefix + name);
    await remove(context.brokers, prefix, groups);
  },
};

function start(
  context: BenchContext,
  name: string,
  prefix: string,
  env: Readonly<Record<string, string>> = {},
): Running {
  return startService(name, context.dir, {
    ...connectionEnv(context, prefix),
    ...env,
  });
}

/** Publishes every match three times: scheduled, in play, finished. Returns the processor, which keeps running. */
async function workOff(context: BenchContext, prefix: string): Promise<Running> {
  const { brokers } = context;
  const topic = topicName(prefix, 'match-results');
  const codec = await Registry.open({ url: context.registryUrl, prefix }).codec('match-results');
  const writer = await BulkWriter.open(brokers, topic);
  for (const state of STATES) {
    for (let match = 0; match < MATCHES; match++) {
      for (let season = 0; season < SEASONS; season++) {
        const result = resultOf(season, match, state);
        await writer.add(partitionOf(season), keyOf(result), codec.encode(result));
      }
    }
  }
  await writer.close();
  const results = SEASONS * MATCHES * STATES.length;
  const bare = await readToEnd(brokers, [topic]);
  const started = performance.now();
  const processor = start(context, 'standings-processor', prefix);
  const progress = positionProgress(brokers, `${prefix}standings-processor`);
  const until = performance.now() + TIMEOUT_MS;
  for (;;) {
    const done = await progress.done();
    if (done >= results) break;
    if (performance.now() > until) throw new Error(`${results - done} results were not worked off`);
    await delay(10);
  }
  const seconds = (performance.now() - started) / 1_000;
  await progress.close();
  const tables = await readToEnd(brokers, [topicName(prefix, 'standings')]);
  context.print(
    `backlog: ${results} results of ${SEASONS * MATCHES} matches in ${seconds.toFixed(2)} s, its start included: ${format(results / seconds)} results/s, ` +
      `${format((SEASONS * MATCHES) / seconds)} matches/s, ${format(tables.records / seconds)} table updates/s (${tables.records})`,
  );
  context.figure({
    name: 'results from a backlog',
    ours: results / seconds,
    beside: { name: 'only read', value: bare.records / bare.seconds },
    unit: 'results/s',
  });
  return processor;
}

/** Times when a goal was accepted and when it was seen. */
type Goal = { readonly acceptedAt: number; state?: number; table?: number };

async function followGoals(context: BenchContext, prefix: string): Promise<void> {
  const { brokers, registryUrl } = context;
  const secret = randomBytes(16).toString('hex');
  const port = await freePort();
  const services = [
    start(context, 'webhook-receiver', prefix, { WEBHOOK_PORT: String(port), WEBHOOK_SECRET: secret }),
    start(context, 'match-processor', prefix),
  ];
  const client = new WebhookClient(`http://127.0.0.1:${port}/webhook`, secret);
  await client.untilReady(60_000);
  const goals = new Map<string, Goal>();
  const registry = Registry.open({ url: registryUrl, prefix });
  const seen = (where: 'state' | 'table', event: number, count: number) => {
    const now = performance.now();
    for (let n = count; n > 0; n--) {
      const goal = goals.get(`${event} ${n}`);
      if (goal === undefined || goal[where] !== undefined) return;
      goal[where] = now;
    }
  };
  const states = registry.decoder('match-state');
  const tables = registry.decoder('standings');
  const readers = [
    await Follower.open(brokers, topicName(prefix, 'match-state'), async ({ value }) => {
      if (value === null) return;
      const { event_id, score } = await states.read(value);
      seen('state', event_id, score?.home ?? 0);
    }),
    await Follower.open(brokers, topicName(prefix, 'standings'), async ({ value }) => {
      if (value === null) return;
      const { type_id, body } = await tables.read(value);
      if (type_id !== 244) return;
      for (const [event, count] of playingIn(body)) seen('table', event, count);
    }),
  ];
  const live = Array.from(
    { length: SEASONS * LIVE_OF_A_SEASON },
    (_, at) => new LiveGoals(at % SEASONS, Math.floor(at / SEASONS)),
  );
  await sendAtRate(WARM_UP);
  const warm = new Set(goals.keys());
  await sendAtRate(MESSAGES);
  const until = performance.now() + 30_000;
  const isOpen = ({ state, table }: Goal) => state === undefined || table === undefined;
  while ([...goals.values()].some(isOpen) && performance.now() < until) await delay(20);
  const measured = [...goals].filter(([id]) => !warm.has(id)).map(([, goal]) => goal);
  const late = (where: 'state' | 'table') =>
    measured.map((goal) => Math.max(0, (goal[where] ?? Number.POSITIVE_INFINITY) - goal.acceptedAt));
  for (const reader of readers) await reader.close();
  client.close();
  for (const service of services) await service.stop();
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    context.figure({
      name: `goal accepted to live table, ${name}`,
      ours: quantile(late('table'), share),
      beside: { name: 'to match-state', value: quantile(late('state'), share) },
      unit: 'ms',
      better: 'less',
    });
  }
  context.print(`${measured.length} goals among ${MESSAGES} messages at ${PER_SECOND}/s`);

  async function sendAtRate(messages: number): Promise<void> {
    const started = performance.now();
    const answers: Promise<void>[] = [];
    for (let sent = 0; sent < messages; sent++) {
      const due = started + (sent * 1_000) / PER_SECOND;
      while (performance.now() < due) await delay(Math.max(0, Math.floor(due - performance.now())));
      const match = live[sent % live.length] as LiveGoals;
      const { body, goal } = match.next();
      const answer = client.post(body);
      // The reader may have a goal's table before the sender has the answer.
      const timing: { acceptedAt: number } = { acceptedAt: Number.POSITIVE_INFINITY };
      if (goal !== null) goals.set(`${match.eventId} ${goal}`, timing);
      const accepted = async () => {
        await answer;
        timing.acceptedAt = performance.now();
      };
      answers.push(accepted());
    }
    await Promise.all(answers);
  }
}

/** Returns the matches in play of a live table, with the goals of their home sides. */
function playingIn(body: string): [event: number, goals: number][] {
  type Row = { columns: { code: string; value: number | string }[] };
  const { groups } = JSON.parse(body) as { groups: { participants: Row[] }[] };
  return groups.flatMap(({ participants }) =>
    participants.flatMap(({ columns }): [number, number][] => {
      const value = (code: string) => columns.find((column) => column.code === code)?.value;
      return value('is_playing') === 'yes' ? [[Number(value('event_id')), Number(value('home_result'))]] : [];
    }),
  );
}
