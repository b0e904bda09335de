/** A processor whose client id has a quota on the broker is slow, but does not fail. */
import { expect, test } from 'vitest';
import { applicationOf } from '#topics/processors.ts';
import { backbone } from '../../setup/backbone.ts';
import { limitClients } from '../../support/broker-settings.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { workload } from '../../support/workload.ts';

const connection = { ...backbone(), services: ['match-processor'] as const };
/** Bytes per second. The input has some 300 kB, and the output more: the broker delays responses for seconds. */
const SLOW = 40_000;
/** Messages of a batch. A batch larger than ten seconds of the quota would never be returned. */
const BATCH = 60;

test('fails no task with a quota on its reads, or on its writes', async () => {
  // Both at once, as either mostly waits.
  await Promise.all([processesWith('consumer_byte_rate'), processesWith('producer_byte_rate')]);
});

async function processesWith(limited: 'consumer_byte_rate' | 'producer_byte_rate'): Promise<void> {
  const pipeline = await Pipeline.create({ ...connection, prefix: `${connection.prefix}${limited}.` });
  const { brokers, prefix } = pipeline.connection;
  await limitClients(brokers, applicationOf(prefix, 'match-processor'), limited, SLOW);
  const processor = pipeline.startProcessor();
  await processor.ready();
  const messages = workload({ events: 20, perEvent: 30, seed: 7 });
  for (let at = 0; at < messages.length; at += BATCH) await pipeline.feed(messages.slice(at, at + BATCH));
  await pipeline.settled();
  expect(await processor.metric('touchline_task_failures_total')).toBe(0);
}
