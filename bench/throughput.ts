import { deepEqual, equal } from 'node:assert/strict';
import type { MatchState } from '#records/types.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { readEvery } from '../test/support/read-records.ts';
import { type Backlog, writeBacklog } from './backlog.ts';
import {
  type ContenderRun,
  describeRun,
  type Job,
  kafkaStreams,
  matchProcessor,
  rate,
  rateWithStart,
  runOn,
  warmRate,
} from './contenders.ts';
import type { Bench, BenchContext } from './context.ts';
import { countRecords, remove } from './kafka.ts';
import { buildPeer } from './peer.ts';
import { sizeOf } from './size.ts';
import { Turns } from './turns.ts';

const EVENTS = sizeOf('BENCH_EVENTS', 2_000, 20);
const MESSAGES = sizeOf(null, 200, 20);
/** As many as the peer has threads: a process computes in one thread. */
const PROCESSES = 2;
/** Heap of the peer, for its stores in memory. */
const PEER_HEAP_GIB = Math.max(2, Math.ceil(EVENTS / 1_000));
const ROUNDS = sizeOf('BENCH_ROUNDS', 3, 1);

/**
 * All process the same backlog in turns, each from the beginning: ours, the peer, ours … A run ends when the
 * whole backlog is committed, so that all outputs are readable.
 */
export const bench: Bench = {
  about: `processor throughput from a backlog of ${EVENTS * MESSAGES} incidents over ${EVENTS} events, beside Kafka Streams`,
  async run(context) {
    await buildPeer(context);
    const prefix = context.prefix('backlog');
    const backlog = await writeBacklog(context, { prefix, events: EVENTS, messages: MESSAGES });
    const ours = matchProcessor(PROCESSES);
    const peer = kafkaStreams({}, PEER_HEAP_GIB);
    const turns = await Turns.take(context, {
      rounds: ROUNDS,
      subjects: [ours, peer],
      measure: (contender, round) => runOn(context, contender.on(prefix, round), backlog.records),
      describe: describeRun,
      async afterRound(round) {
        const [us, theirs] = [ours.on(prefix, round), peer.on(prefix, round)];
        await checkStates(context, backlog, us, theirs);
        await checkTransitions(context, us, theirs);
        await remove(context.brokers, theirs.outputPrefix);
      },
    });
    const compare = (name: string, of: (run: ContenderRun) => number, target: number) =>
      turns.compare(ours, peer, { name, unit: 'msg/s', of, target });
    compare('from first commit to last', rate, 2);
    compare('second half', warmRate, 1.8);
    compare('with process start', rateWithStart, 1.8);
    await remove(context.brokers, prefix, [ours.on(prefix, 0).group]);
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

/** Checks that both have written the same number of transitions. */
async function checkTransitions({ brokers, print }: BenchContext, us: Job, peer: Job): Promise<void> {
  const count = ({ outputPrefix }: Job) =>
    countRecords(brokers, topicName(outputPrefix, 'match-transitions'));
  const [ours, theirs] = [await count(us), await count(peer)];
  equal(ours, theirs, 'number of transitions');
  print(`checked: ${ours} transitions of each`);
}

/** Returns the last state of each event that a job wrote, as a read-committed consumer sees it. */
async function readStates(
  { brokers, registryUrl: url }: BenchContext,
  { prefix, outputPrefix }: Job,
): Promise<ReadonlyMap<number, MatchState>> {
  const source = { brokers, prefix: outputPrefix, registry: new Registry({ url, prefix }) };
  const states = new Map<number, MatchState>();
  await readEvery('match-state', source, (state) => void states.set(state.event_id, state));
  return states;
}
