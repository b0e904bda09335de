/** What a webhook-composer of release 1 left uncomposed: it was a service of its own there. */
import { expect, test } from 'vitest';
import { topicBounds, topicIds } from '#cluster/logs.ts';
import { withTopicAdmin } from '#cluster/topic-admin.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { positionRecord, positionsTopic } from '#streams/runtime/positions.ts';
import { formerComposerTopics } from '#topics/processors.ts';
import { Registry } from '#topics/registry.ts';
import { backbone } from '../../setup/backbone.ts';
import { quietLog } from '../../support/log.ts';
import { FEW_PARTITIONS, Pipeline } from '../../support/pipeline.ts';
import { DEADLINE_MS, untilTrue } from '../../support/poll.ts';
import { readEvery } from '../../support/read-records.ts';
import { workload } from '../../support/workload.ts';

const connection = { ...backbone(), services: ['match-processor'] as const };
const { brokers } = connection;
const former = formerComposerTopics(connection.prefix);

/** Writes where the composer of release 1 stopped: at these offsets of the partitions of match-transitions. */
async function stopFormerComposer(stops: readonly number[]): Promise<void> {
  const topic = positionsTopic(former.application);
  await withTopicAdmin(brokers, DEADLINE_MS, (admin) =>
    admin.createTopics([{ name: topic, partitions: FEW_PARTITIONS, settings: {}, replicationFactor: 1 }]),
  );
  const topicId = (await topicIds(brokers, [former.input])).get(former.input) ?? '';
  const producer = { id: '1', epoch: 0 };
  const options = { brokers, clientId: 'test', log: quietLog, timeoutMs: DEADLINE_MS };
  await withPublisher(options, (publisher) =>
    publisher.publish(
      stops.map((next, partition) =>
        positionRecord(topic, partition, { next, topicId, inputEpoch: null, logs: {}, producer }),
      ),
    ),
  );
}

/** Returns the ids of the transitions before these offsets. */
async function idsBefore(stops: readonly number[]): Promise<ReadonlySet<string>> {
  const registry = Registry.open({ url: connection.registryUrl, prefix: connection.prefix });
  const ids = new Set<string>();
  await readEvery('match-transitions', { ...connection, registry }, ({ id }, { partition, offset }) => {
    if (offset < (stops[partition] ?? 0)) ids.add(id);
  });
  return ids;
}

/** Returns the ids of the webhook messages, by event in the order of the log. */
async function composed(pipeline: Pipeline): Promise<ReadonlyMap<number, string[]>> {
  const ids = new Map<number, string[]>();
  await pipeline.read('webhook-messages', ({ event_id, uuid }) => {
    ids.set(event_id, [...(ids.get(event_id) ?? []), uuid]);
  });
  return ids;
}

test('is composed once by match processors that are killed, before what comes', async () => {
  const now = Date.now();
  const messages = workload({ events: 12, perEvent: 40, seed: 9 }).map((one) => ({
    ...one,
    received_at: now,
  }));
  const whole = await Pipeline.create({ ...connection, prefix: `${connection.prefix}whole.` });
  const undisturbed = whole.startProcessor();
  await whole.feed(messages);
  await whole.settled();
  const all = await composed(whole);
  await undisturbed.stop();

  const pipeline = await Pipeline.create(connection);
  const without = pipeline.startProcessor({ COMPOSE_WEBHOOKS: 'off' });
  await pipeline.feed(messages.slice(0, 400));
  await pipeline.settled();
  await without.stop();
  expect(await composed(pipeline)).toEqual(new Map());
  const bounds = await topicBounds({ brokers, clientId: 'test' }, [former.input]);
  // Nothing was composed of the first partition, and all of the last one.
  const stops = bounds
    .toSorted((a, b) => a.partition - b.partition)
    .map(({ end }, at) => Math.floor((end * at) / (FEW_PARTITIONS - 1)));
  await stopFormerComposer(stops);
  const before = await idsBefore(stops);
  expect(before.size).toBeGreaterThan(0);

  for (let kills = 0; kills < 3; kills += 1) {
    const killed = pipeline.startProcessor();
    await untilTrue(
      'it claims a partition',
      async () => (await killed.metric('touchline_claims_total').catch(() => 0)) > 0,
    );
    await killed.kill();
  }
  pipeline.startProcessor();
  await pipeline.feed(messages.slice(400));
  await pipeline.settled();
  const transitionOf = (uuid: string) => uuid.split(':').slice(0, 3).join(':');
  const expected = [...all].map(([event, ids]) => [event, ids.filter((id) => !before.has(transitionOf(id)))]);
  expect(await composed(pipeline)).toEqual(new Map(expected as [number, string[]][]));
});
