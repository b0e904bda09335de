/**
 * A process that runs a stream for stop.test.ts. It prints when it reaches `STEP`, waits there for a line on its input, and continues.
 * SIGTERM stops the stream. Then the process ends when no resource keeps it alive; with `EXIT=1` it exits at once, like a service.
 */

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Registry } from 'prom-client';
import { openStreamClient } from '#streams/client/client.ts';
import { runStream } from '#streams/runtime/stream.ts';
import { quietLog } from '../../support/log.ts';
import { CountByKey } from './count-by-key.ts';

const { BROKERS = '', APPLICATION = '', INPUT = '', COUNTS = '', LETTERS = '', STEP } = process.env;
const brokers = BROKERS.split(',');
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const input = createInterface({ input: process.stdin });
const line = once(input, 'line');

async function reached(step: string): Promise<void> {
  if (step !== STEP) return;
  say('there');
  await line;
}

const client = openStreamClient({ brokers, clientId: 'stop', log: quietLog });
const stream = await runStream({
  brokers,
  application: APPLICATION,
  input: INPUT,
  changelogs: [COUNTS],
  outputs: [{ topic: LETTERS, partitions: 1 }],
  createProcessor: (partition) =>
    new CountByKey(COUNTS, partition, {
      restore: () => reached('restore'),
      process: () => reached('process'),
    }),
  deadLetter: () => ({ topic: LETTERS, partition: 0, key: 'none', value: null }),
  log: quietLog,
  metrics: new Registry(),
  onFenced: () => process.exit(1),
  client: {
    openReader: (options) => client.openReader(options),
    close: () => client.close(),
    openGroupMember: (options) => client.openGroupMember(options),
    logBounds: (of) => client.logBounds(of),
    epochEnd: (of, epoch) => client.epochEnd(of, epoch),
    topicIds: (topics) => client.topicIds(topics),
    partitionCount: (topic) => client.partitionCount(topic),
    async openProducer(options) {
      await reached('claim');
      const producer = await client.openProducer(options);
      const { identity } = producer;
      return {
        identity,
        async transact(records, accept) {
          await reached('commit');
          await producer.transact(records, accept);
        },
        requireCurrent: () => producer.requireCurrent(),
        requireDecided: () => producer.requireDecided(),
        close: () => producer.close(),
      };
    },
  },
});
process.once('SIGTERM', async () => {
  await stream.stop();
  say('stopped');
  // The client keeps a timer for each request without a response.
  if (process.env.EXIT === '1') process.exit(0);
  input.close();
  process.stdin.destroy();
});
say('started');
