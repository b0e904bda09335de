import { resultKey } from '#domain/match-result.ts';
import { createTopics } from '#topics/admin.ts';
import { followRecords } from '#topics/follow-records.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import type { BareReaderOptions, BareReaderResult } from './bare-reader.ts';
import { OURS, runThrough, streamProcessor } from './contenders.ts';
import { type Bench, type BenchContext, describeMs, quantile } from './context.ts';
import { BulkWriter, countRecords, remove } from './kafka.ts';
import { Pending, pace } from './live-load.ts';
import { runScript } from './processes.ts';
import { sizeOf } from './size.ts';
import { growth } from './standings-growth.ts';
import { LiveGoals, MATCHES, partitionOfSeason, resultOf } from './standings-season.ts';
import { startReceiver } from './webhook-client.ts';

const SEASONS = sizeOf('BENCH_SEASONS', 20, 2);
const MESSAGES = sizeOf('BENCH_MESSAGES', 6_000, 200);
const WARM_UP = sizeOf(null, 2_000, 100);
const PER_SECOND = 200;
const LIVE_OF_A_SEASON = 5;
/** Type of the live table. */
const LIVE_TABLE = 244;
const STATES = ['to_come', 'playing', 'over'] as const;

/**
 * Measures tables of whole seasons from a backlog of match results; then goals of live matches from their signed
 * webhooks to the live table; and the cost of one more goal and one more match early and late in a season.
 */
export const bench: Bench = {
  about: `tables of ${SEASONS} seasons of ${MATCHES} matches from a backlog, and goals to the live table at ${PER_SECOND} messages/s`,
  subject: ['libs/domain/standings', 'libs/streams', 'services/standings-processor'],
  async run(context) {
    const { brokers } = context;
    const prefix = context.prefix('tables');
    await createTopics({ brokers, prefix });
    const results = await writeResults(context, prefix);
    const options: BareReaderOptions = { brokers, topics: [topicName(prefix, 'match-results')] };
    const bare = await runScript<BareReaderResult>('bare-reader.ts', options);
    const job = streamProcessor('standings-processor', 1).on(prefix, 0);
    const { endAt } = await runThrough(context, job, results, async () => {
      const tables = await countRecords(brokers, topicName(prefix, 'standings'));
      context.print(`${results} results of ${SEASONS * MATCHES} matches, ${tables} table updates`);
      await followGoals(context, prefix);
    });
    context.print(`all results after ${endAt.toFixed(2)} s, the start of the process included`);
    context.figure({
      name: 'results from a backlog',
      ours: results / endAt,
      beside: { name: 'only read', value: bare.records / bare.seconds },
      unit: 'results/s',
    });
    growth(context);
    await remove(brokers, prefix, [job.group, OURS.on(prefix, 0).group]);
  },
};

/** Publishes every match three times: scheduled, in play, finished. Returns the number of results. */
async function writeResults(context: BenchContext, prefix: string): Promise<number> {
  const codec = await Registry.open({ url: context.registryUrl, prefix }).codec('match-results');
  const writer = await BulkWriter.open(context.brokers, topicName(prefix, 'match-results'));
  for (const state of STATES) {
    for (let match = 0; match < MATCHES; match++) {
      for (let season = 0; season < SEASONS; season++) {
        const result = resultOf(season, match, state);
        await writer.add(partitionOfSeason(season), resultKey(result), codec.encode(result));
      }
    }
  }
  await writer.close();
  return SEASONS * MATCHES * STATES.length;
}

/** Goals that wait to be seen. One may be seen before its delivery is answered: it then takes no time. */
class AcceptedGoals {
  readonly #pending = new Pending();
  readonly #seen = new Map<number, number>();

  accepted(event: number, goals: number): void {
    this.#pending.sent(event, goals);
    this.#pending.seen(event, this.#seen.get(event) ?? 0, performance.now());
  }

  seen(event: number, goals: number): void {
    this.#seen.set(event, goals);
    this.#pending.seen(event, goals, performance.now());
  }

  /** Waits until all accepted goals were seen. Returns their latencies since the last call, milliseconds. */
  settle(): Promise<number[]> {
    return this.#pending.settle();
  }
}

/** Measures the time from the `Accepted` of a goal's webhook until its match-state and its live table are read. */
async function followGoals(context: BenchContext, prefix: string): Promise<void> {
  const { brokers, registryUrl } = context;
  const { client, process: receiver } = await startReceiver(context, prefix);
  const processor = await OURS.on(prefix, 0).start(context);
  const [states, tables] = [new AcceptedGoals(), new AcceptedGoals()];
  const source = {
    brokers,
    prefix,
    registry: Registry.open({ url: registryUrl, prefix }),
    onFailure: (error: unknown) => console.error('reading goals failed:', error),
  };
  const readers = [
    await followRecords({
      ...source,
      topic: 'match-state',
      onRecord(_, state) {
        if (state !== null) states.seen(state.event_id, state.score?.home ?? 0);
      },
    }),
    await followRecords({
      ...source,
      topic: 'standings',
      onRecord(_, table) {
        if (table?.type_id !== LIVE_TABLE) return;
        for (const [event, goals] of playingIn(table.body)) tables.seen(event, goals);
      },
    }),
  ];
  const live = Array.from(
    { length: SEASONS * LIVE_OF_A_SEASON },
    (_, at) => new LiveGoals(at % SEASONS, Math.floor(at / SEASONS)),
  );
  let turn = 0;
  const send = async (messages: number) => {
    const answers: Promise<void>[] = [];
    await pace(messages, PER_SECOND, () => {
      const match = live[turn++ % live.length] as LiveGoals;
      const { body, goal } = match.next();
      const accepted = () => {
        if (goal !== null) for (const goals of [states, tables]) goals.accepted(match.eventId, goal);
      };
      answers.push(client.post(body).then(accepted));
    });
    await Promise.all(answers);
    return { toState: await states.settle(), toTable: await tables.settle() };
  };
  await send(WARM_UP);
  const { toState, toTable } = await send(MESSAGES);
  for (const reader of readers) await reader.close();
  client.close();
  for (const service of [receiver, processor]) await service.stop();
  context.print(`goals to match-state: ${describeMs(toState)}; to the live table: ${describeMs(toTable)}`);
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const beside = { name: 'to match-state', value: quantile(toState, share) };
    const ours = quantile(toTable, share);
    context.figure({
      name: `goal accepted to live table, ${name}`,
      ours,
      beside,
      unit: 'ms',
      better: 'less',
    });
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
