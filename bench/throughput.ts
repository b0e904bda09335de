import { deepEqual } from 'node:assert/strict';
import type { MatchState } from '#records/types.ts';
import { topicName } from '#topics/topics.ts';
import { type Backlog, writeBacklog } from './backlog.ts';
import {
  type Contender,
  type ContenderRun,
  type Job,
  kafkaStreams,
  matchProcessor,
  rate,
  rateWithStart,
  readStates,
  runInTurns,
  warmRate,
} from './contenders.ts';
import { type Bench, type BenchContext, PROCESSOR } from './context.ts';
import { recordedFloor } from './floors.ts';
import { countRecords, remove } from './kafka.ts';
import { buildPeer } from './peer.ts';
import { sizeOf } from './size.ts';

const EVENTS = sizeOf('BENCH_EVENTS', 2_000, 20);
const MESSAGES = sizeOf(null, 200, 20);
/** Number of the peer's threads and of our processes: a process computes in one thread. */
const PEER_THREADS = 2;
/** Heap of the peer, for its stores in memory. */
const PEER_HEAP_GIB = Math.max(2, Math.ceil(EVENTS / 1_000));
const ROUNDS = sizeOf('BENCH_ROUNDS', 3, 1);

/**
 * All process the same backlog in turns, each from the beginning: ours, the peer, the floor, ours … A run ends when the
 * whole backlog is committed, so that all outputs are readable.
 */
export const bench: Bench = {
  about: `processor throughput from a backlog of ${EVENTS * MESSAGES} incidents over ${EVENTS} events, beside Kafka Streams`,
  subject: PROCESSOR,
  async run(context) {
    await buildPeer(context);
    const prefix = context.prefix('backlog');
    const backlog = await writeBacklog(context, { prefix, events: EVENTS, messages: MESSAGES });
    const subjectOf = (contender: Contender) => ({ name: contender.name, contender, backlog });
    const ours = subjectOf(matchProcessor(PEER_THREADS));
    const peer = subjectOf(kafkaStreams({}, PEER_HEAP_GIB));
    const least = subjectOf(recordedFloor(PEER_THREADS));
    const subjects = [ours, peer, least];
    const turns = await runInTurns(context, ROUNDS, subjects, async (round) => {
      const jobs = subjects.map(({ contender }) => contender.on(prefix, round));
      const [us, streams, ...others] = jobs as [Job, Job, Job];
      await checkStates(context, backlog, us, streams);
      await checkTransitions(context, jobs);
      for (const other of [streams, ...others]) await remove(context.brokers, other.outputPrefix);
    });
    const compare = (name: string, beside: typeof ours, of: (run: ContenderRun) => number, target: number) =>
      turns.compare(ours, beside, { name, unit: 'msg/s', of, target });
    compare('from first commit to last', peer, rate, 2);
    compare('second half', peer, warmRate, 1.8);
    compare('with process start', peer, rateWithStart, 1.8);
    compare('second half', least, warmRate, 0.6);
    await remove(context.brokers, prefix, [ours.contender.on(prefix, 0).group]);
  },
};

/** Checks that both have the same states, and the planned score of the backlog. */
async function checkStates(context: BenchContext, backlog: Backlog, us: Job, peer: Job): Promise<void> {
  const ours = await readStates(context, us);
  const theirs = await readStates(context, peer);
  for (const [eventId, final] of backlog.finals) {
    const state = plain(ours.get(eventId));
    deepEqual(state.score, final, `score of ${eventId}`);
    deepEqual(state, plain(theirs.get(eventId)));
  }
  context.print(`checked: ${ours.size} final scores are right, match-state is the peer's in every field`);
}

/** Returns a state as an object without a class. */
function plain(state: MatchState | undefined): Partial<MatchState> {
  return JSON.parse(JSON.stringify(state ?? {}));
}

/** Checks that all have written the same number of transitions. */
async function checkTransitions(context: BenchContext, jobs: readonly Job[]): Promise<void> {
  const counts = await Promise.all(
    jobs.map(async ({ name, outputPrefix }) => {
      const records = await countRecords(context.brokers, topicName(outputPrefix, 'match-transitions'));
      return { name, records };
    }),
  );
  const found = counts.map(({ name, records }) => `${name} ${records}`).join(', ');
  if (counts.some(({ records }) => records !== counts[0]?.records))
    throw new Error(`they differ in transitions: ${found}`);
  context.print(`checked: transitions of ${found}`);
}
