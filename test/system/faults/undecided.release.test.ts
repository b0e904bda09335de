import { beforeAll, describe, expect, test } from 'vitest';
import { KAFKA_VERSION } from '#embedded/settings.ts';
import type { ConsumedRecord, OutputRecord } from '#streams/client/port.ts';
import { backbone } from '../../setup/backbone.ts';
import {
  expectSame,
  FAULT_TIMEOUT_MS,
  LOAD,
  PARTITIONS,
  settledOrLogs,
  times,
  undisturbed,
} from '../../support/harness.ts';
import { startOwnKafka } from '../../support/own-kafka.ts';
import { Pipeline, type PipelineConnection } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { coordinatorState, leaveUndecided, openTransactions, UNVERIFIED } from '../../support/undecided.ts';
import { workload } from '../../support/workload.ts';
import { lastOfEach, OUTPUTS, Outputs } from './left-undecided.ts';

const connection = backbone();
const MESSAGES = workload(LOAD);
const FIRST = MESSAGES.slice(0, 1_000);
const NEXT = MESSAGES.slice(1_000, 1_800);
const REST = MESSAGES.slice(1_800);

/** Starts a broker of that version that accepts records of unknown transactions, and returns its addresses. */
async function brokersOf(version: string): Promise<string[]> {
  if (version === KAFKA_VERSION) return (await restartableKafka(UNVERIFIED)).directBrokers;
  return (await startOwnKafka({ version, settings: UNVERIFIED })).brokers;
}

/** Returns a pipeline that has processed these messages, with its processor stopped. */
async function processed(at: PipelineConnection, messages: typeof MESSAGES): Promise<Pipeline> {
  const pipeline = await Pipeline.create({ ...at, partitions: PARTITIONS });
  const processor = pipeline.startProcessor();
  await pipeline.feed(messages);
  await settledOrLogs(pipeline, [processor]);
  await processor.stop();
  return pipeline;
}

describe.each(times([KAFKA_VERSION, '4.3.1'], [KAFKA_VERSION]))('on Kafka %s', (version) => {
  let brokers: string[];
  const on = (name: string): PipelineConnection => ({
    ...connection,
    brokers,
    prefix: `${connection.prefix}${version}.${name}.`,
  });

  beforeAll(async () => {
    brokers = await brokersOf(version);
  });

  test(
    'a transaction left undecided in each output alone, and in all of them, is aborted everywhere',
    async () => {
      const expected = await undisturbed(on('calm'));
      const pipeline = await processed(on('aborted'), [...FIRST, ...NEXT]);
      const outputs = new Outputs(pipeline.connection);

      // A single output lacks its marker for each of the first input partitions; then all outputs do.
      for (const [partition, alone] of OUTPUTS.entries()) {
        const others = OUTPUTS.filter((output) => output !== alone);
        await leaveUndecided({
          brokers,
          transactionalId: outputs.transactionalId(partition),
          records: [await outputs.outdated(alone, partition)],
          decided: {
            records: await Promise.all(others.map((output) => outputs.outdated(output, partition))),
            commit: false,
          },
        });
      }
      await leaveUndecided({
        brokers,
        transactionalId: outputs.transactionalId(OUTPUTS.length),
        records: await Promise.all(OUTPUTS.map((output) => outputs.outdated(output, OUTPUTS.length))),
      });
      await untilTrue(
        'only what was left is open',
        async () => (await openTransactions(brokers, outputs.all())).length === 2 * OUTPUTS.length,
      );
      const left = await openTransactions(brokers, outputs.all());

      const processor = pipeline.startProcessor();
      await pipeline.feed(REST);
      await settledOrLogs(pipeline, [processor]);
      expect(await openTransactions(brokers, outputs.all())).toEqual([]);
      for (const { start, ...of } of left) {
        const offsets = (await outputs.committed(of)).map(({ offset }) => offset);
        expect(offsets, `what hung in ${of.topic} is not read`).not.toContain(start);
      }
      expect(await processor.metric('touchline_task_failures_total')).toBe(0);
      expectSame(await pipeline.output(), expected);
    },
    FAULT_TIMEOUT_MS,
  );

  test(
    'a transaction that the coordinator has decided to commit is committed where a marker is missing',
    async () => {
      const calm = await processed(on('calm-twice'), [...FIRST, ...NEXT]);
      const calmOutputs = new Outputs(calm.connection);
      const pipeline = await processed(on('committed'), FIRST);
      await pipeline.feed(NEXT);
      const outputs = new Outputs(pipeline.connection);
      const LACKING = [
        'match-incidents',
        'match-state',
        'match-transitions',
        'match-processor-positions',
      ] as const;
      const input = LACKING.map((_, partition) => ({ topic: outputs.input, partition }));
      const ends = await outputs.ends(input);

      for (const [partition, lacking] of LACKING.entries()) {
        const committedBefore = (await outputs.committed(outputs.of('match-transitions', partition))).length;
        const read = (output: (typeof LACKING)[number]) =>
          calmOutputs.committed(calmOutputs.of(output, partition));
        // All outputs of the messages between, in one transaction.
        const to = (output: (typeof LACKING)[number], records: readonly ConsumedRecord[]): OutputRecord[] =>
          records.map(({ key, value }) => ({ ...outputs.of(output, partition), key: key as Buffer, value }));
        const written = {
          'match-incidents': to('match-incidents', lastOfEach(await read('match-incidents'))),
          'match-state': to('match-state', lastOfEach(await read('match-state'))),
          'match-transitions': to(
            'match-transitions',
            (await read('match-transitions')).slice(committedBefore),
          ),
          'match-processor-positions': [await outputs.position(partition, ends[partition] as number)],
        };
        const transactionalId = outputs.transactionalId(partition);
        await leaveUndecided({
          brokers,
          transactionalId,
          records: written[lacking],
          decided: {
            records: LACKING.filter((output) => output !== lacking).flatMap((output) => written[output]),
            commit: true,
          },
        });
        expect(await coordinatorState(brokers, transactionalId)).toMatch(/^(Prepare|Complete)Commit$/);
      }
      await untilTrue(
        'one marker of each is missing',
        async () => (await openTransactions(brokers, outputs.all())).length === LACKING.length,
      );

      const processor = pipeline.startProcessor();
      await settledOrLogs(pipeline, [processor]);
      expect(await openTransactions(brokers, outputs.all())).toEqual([]);
      for (const { partition } of input)
        expect(
          await processor.metric('touchline_records_total', `partition="${partition}"`),
          'what is committed is not processed again',
        ).toBe(0);
      expect(await processor.metric('touchline_records_total'), 'the others are processed').toBeGreaterThan(
        0,
      );

      await pipeline.feed(REST);
      const calmProcessor = calm.startProcessor();
      await calm.feed(REST);
      await settledOrLogs(calm, [calmProcessor]);
      await settledOrLogs(pipeline, [processor]);
      expectSame(await pipeline.output(), await calm.output());
    },
    FAULT_TIMEOUT_MS,
  );
});
