import { isDeepStrictEqual } from 'node:util';
import type { MatchState } from '#records/types.ts';
import { topicName } from '#topics/topics.ts';
import { type Backlog, writeBacklog } from './backlog.ts';
import {
  type Contender,
  type ContenderRun,
  type Job,
  kafkaStreams,
  matchProcessor,
  prepare,
  rate,
  rateWithStart,
  readStates,
  runThrough,
  warmRate,
} from './contenders.ts';
import { type Bench, type BenchContext, format, median, PROCESSOR } from './context.ts';
import { readToEnd, remove } from './kafka.ts';
import { buildPeer } from './peer.ts';
import { recordedFloor } from './recorded-floor.ts';
import { FIRST_ROUND, roundName, sizeOf } from './size.ts';

const EVENTS = sizeOf('BENCH_EVENTS', 2_000, 20);
const MESSAGES = sizeOf(null, 200, 20);
/** Number of the peer's threads and of our processes: a process computes in one thread. */
const PEER_THREADS = 2;
/** Heap of the peer, for its stores in memory. */
const PEER_HEAP_GIB = Math.max(2, Math.ceil(EVENTS / 1_000));
const ROUNDS = sizeOf('BENCH_ROUNDS', 3, 1);

/**
 * All process the same backlog in turns, each from the beginning: ours, the peer, the floor, ours … A run ends when the
 * whole backlog is committed, so that all outputs are readable. The first round warms the broker and does not count.
 */
export const bench: Bench = {
  about: `processor throughput from a backlog of ${EVENTS * MESSAGES} incidents over ${EVENTS} events, beside Kafka Streams`,
  subject: PROCESSOR,
  async run(context) {
    await buildPeer(context);
    const prefix = context.prefix('backlog');
    const backlog = await writeBacklog(context, { prefix, events: EVENTS, messages: MESSAGES });
    const ours = matchProcessor(PEER_THREADS);
    const peer = kafkaStreams({}, PEER_HEAP_GIB);
    const least = recordedFloor(PEER_THREADS);
    const runs = new Map<Contender, ContenderRun[]>([
      [ours, []],
      [peer, []],
      [least, []],
    ]);
    for (let round = FIRST_ROUND; round <= ROUNDS; round++) {
      for (const [contender, counted] of runs) {
        const job = contender.on(prefix, round);
        await prepare(context, job);
        const run = await runThrough(context, job, backlog.records);
        if (round > 0) counted.push(run);
        printRun(context, job.name, round, run);
      }
      await checkStates(context, backlog, ours.on(prefix, round), peer.on(prefix, round));
      await checkTransitions(
        context,
        [ours, peer, least].map((contender) => contender.on(prefix, round)),
      );
      for (const other of [peer, least]) await remove(context.brokers, other.on(prefix, round).outputPrefix);
    }
    const medianOf = (contender: Contender, of: (run: ContenderRun) => number) =>
      median((runs.get(contender) ?? []).map(of));
    const compare = (name: string, beside: Contender, of: (run: ContenderRun) => number, target: number) =>
      context.figure({
        name,
        ours: medianOf(ours, of),
        beside: { name: beside.name, value: medianOf(beside, of) },
        unit: 'msg/s',
        target,
      });
    compare('from first commit to last', peer, rate, 2);
    compare('second half', peer, warmRate, 1.8);
    compare('with process start', peer, rateWithStart, 1.8);
    compare('second half', least, warmRate, 0.6);
    await remove(context.brokers, prefix, [ours.on(prefix, 0).group]);
  },
};

function printRun(context: BenchContext, name: string, round: number, run: ContenderRun): void {
  const { first, endAt, cpuSeconds } = run;
  context.print(
    `${roundName(round)} ${name}: ${format(rate(run))} msg/s ` +
      `(second half ${format(warmRate(run))}, with start ${format(rateWithStart(run))}); ` +
      `first commit after ${first.at.toFixed(2)} s, all after ${endAt.toFixed(2)} s, ${cpuSeconds.toFixed(1)} s of processor`,
  );
}

/** Checks that both have the same states, and the planned score of the backlog. */
async function checkStates(context: BenchContext, backlog: Backlog, us: Job, peer: Job): Promise<void> {
  const ours = await readStates(context, us);
  const theirs = await readStates(context, peer);
  const wrong: string[] = [];
  for (const [eventId, final] of backlog.finals) {
    const state = ours.get(eventId);
    if (state === undefined || !isDeepStrictEqual({ ...state.score }, final)) {
      wrong.push(`${eventId}: ours is ${JSON.stringify(state?.score)}, not ${JSON.stringify(final)}`);
    }
    const difference = differenceOf(state, theirs.get(eventId));
    if (difference !== null) wrong.push(`${eventId}: ${difference}`);
  }
  if (wrong.length > 0)
    throw new Error(`${wrong.length} states are wrong:\n  ${wrong.slice(0, 5).join('\n  ')}`);
  context.print(`checked: ${ours.size} final scores are right, match-state is the peer's in every field`);
}

/** Checks that all have written the same number of transitions. */
async function checkTransitions(context: BenchContext, jobs: readonly Job[]): Promise<void> {
  const counts = await Promise.all(
    jobs.map(async ({ name, outputPrefix }) => {
      const { records } = await readToEnd(context.brokers, [topicName(outputPrefix, 'match-transitions')]);
      return { name, records };
    }),
  );
  const found = counts.map(({ name, records }) => `${name} ${records}`).join(', ');
  if (counts.some(({ records }) => records !== counts[0]?.records))
    throw new Error(`they differ in transitions: ${found}`);
  context.print(`checked: transitions of ${found}`);
}

function differenceOf(ours: MatchState | undefined, theirs: MatchState | undefined): string | null {
  if (ours === undefined || theirs === undefined)
    return `is missing at ${ours === undefined ? 'ours' : 'the peer'}`;
  for (const name of Object.keys(ours) as (keyof MatchState)[]) {
    const [a, b] = [ours[name], theirs[name]].map((value) => JSON.parse(JSON.stringify(value)));
    if (!isDeepStrictEqual(a, b))
      return `${name} is ${JSON.stringify(a)} at ours, ${JSON.stringify(b)} at the peer`;
  }
  return null;
}
