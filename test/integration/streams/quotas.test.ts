/** A processor whose client id has a quota on the broker: it is slow, and nothing else. */
import { expect, test } from 'vitest';
import { applicationOf } from '#topics/processors.ts';
import { backbone } from '../../setup/backbone.ts';
import { limitClients } from '../../support/broker-settings.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { workload } from '../../support/workload.ts';

const place = backbone();
/** Its input is of some 600 kB, its output of some more: answers are held back for seconds. */
const SLOW = 40_000;
/** Messages of a batch. A batch of more than is given in ten seconds is never given, whoever reads. */
const TOGETHER = 60;

test.each([
  ['what it reads', 'consumer_byte_rate'],
  ['what it writes', 'producer_byte_rate'],
] as const)('a quota on %s fails no task', async (_, limited) => {
  const pipeline = await Pipeline.create({ ...place, prefix: `${place.prefix}${limited}.` });
  const { brokers, prefix } = pipeline.place;
  await limitClients(brokers, applicationOf(prefix, 'match-processor'), limited, SLOW);
  const processor = pipeline.startProcessor();
  await processor.ready();
  const messages = workload({ events: 20, perEvent: 60, seed: 7 });
  for (let at = 0; at < messages.length; at += TOGETHER)
    await pipeline.feed(messages.slice(at, at + TOGETHER));
  await pipeline.settled();
  expect(await processor.metric('touchline_task_failures_total')).toBe(0);
});
