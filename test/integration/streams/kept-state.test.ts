/** State in memory outlives a failure of the broker when nobody else has written since. */
import { expect, test } from 'vitest';
import { openStreamClient } from '#streams/client/client.ts';
import type { Logger } from '#streams/log.ts';
import { positionRecord, positionsTopic } from '#streams/runtime/positions.ts';
import { atEnd } from '../../support/at-end.ts';
import { times } from '../../support/harness.ts';
import { quietLog } from '../../support/log.ts';
import { untilTrue } from '../../support/poll.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { CountingApplication } from './counting.ts';

const KEYS = times(100_000, 20_000);
/** Number of times that the connections are cut, up to 30 ms after a record was sent. */
const CUTS = times(30, 10);
/** Returns a key of partition 1. */
const keyOf = (n: number): string => `key${String(n).padStart(6, '0')}`;

test(`restores nothing after a broker is killed during a transaction, with ${KEYS} entries in memory`, async () => {
  const { kafka, brokers } = await restartableKafka();
  const counting = await CountingApplication.create({ brokers, prefix: 'kept.' });
  let kills = 0;
  const { metric } = await counting.start({
    async process(value) {
      if (value !== 'kill' || kills > 0) return;
      kills += 1;
      await kafka.kill('SIGKILL');
    },
  });
  for (let from = 0; from < KEYS; from += 10_000)
    await counting.send(
      ...Array.from({ length: 10_000 }, (_, n) => [keyOf(from + n), '1'] as [string, string]),
    );
  const counted = (count: number) =>
    untilTrue(`${count} count`, async () => (await metric('touchline_records_total')) === count);
  await counted(KEYS);
  const restored = await metric('touchline_restore_records_total');

  await counting.send([keyOf(1), 'kill'], [keyOf(2), '2']);
  await untilTrue('it is killed', () => kills === 1);
  await untilTrue('its task fails', async () => (await metric('touchline_task_failures_total')) > 0);
  await kafka.start();
  await counted(KEYS + 2);
  await counting.send([keyOf(3), '2']);
  await counted(KEYS + 3);
  expect(await metric('touchline_restore_records_total')).toBe(restored);
  expect(await metric('touchline_kept_states_total')).toBe(1);
  const counts = await counting.read(counting.counts);
  expect(Object.keys(counts)).toHaveLength(KEYS);
  expect([1, 2, 3, 4].map((n) => counts[keyOf(n)])).toEqual(['2', '2', '2', '1']);
});

test('does not repeat a commit whose response was lost', async () => {
  const { proxy, brokers, directBrokers } = await restartableKafka();
  const counting = await CountingApplication.create({ brokers: directBrokers, prefix: 'kept.' });
  const { metric } = await counting.start({}, { brokers });
  for (let sent = 1; sent <= CUTS; sent += 1) {
    await counting.send(['a', String(sent)]);
    // Cuts at different steps of a transaction, or between two.
    await new Promise((resolve) => setTimeout(resolve, (sent * 30) / CUTS));
    proxy.cut();
    await untilTrue('it counts', async () => (await metric('touchline_records_total')) >= sent);
  }
  expect(await counting.history(counting.counts)).toEqual(
    Array.from({ length: CUTS }, (_, n) => ['a', String(n + 1)]),
  );
  expect(await metric('touchline_restore_records_total')).toBe(0);
});

test('restores the state when another producer has written in between', async () => {
  const { proxy, kafka, brokers, directBrokers } = await restartableKafka();
  const counting = await CountingApplication.create({ brokers: directBrokers, prefix: 'kept.' });
  const { application, input, counts } = counting;
  let isCut = false;
  const cut = Promise.withResolvers<void>();
  const { metric } = await counting.start(
    {
      async process(value) {
        if (value !== 'cut' || isCut) return;
        isCut = true;
        proxy.forwardTo();
        proxy.cut();
        await cut.promise;
      },
    },
    { brokers, log: quietLog as Logger },
  );
  await counting.send(['a', '1']);
  await untilTrue('it counts', async () => (await metric('touchline_records_total')) === 1);
  await counting.send(['a', 'cut']);
  await untilTrue('it is cut', () => isCut);

  const client = openStreamClient({ brokers: directBrokers, clientId: 'other', log: quietLog });
  atEnd(() => client.close());
  const other = await client.openProducer({
    transactionalId: `${application}-${input}-1`,
    own: [{ topic: counts, partition: 1 }],
  });
  const reader = client.openReader({ topic: input, partition: 1, maxBytes: 1 });
  const position = {
    next: 2,
    topicId: await reader.topicId(),
    inputEpoch: null,
    producer: other.identity,
    logs: {},
  };
  await other.transact([
    { topic: counts, partition: 1, key: 'a', value: Buffer.from('41') },
    positionRecord(positionsTopic(application), 1, position),
  ]);
  await other.close();
  cut.resolve();
  await untilTrue('its task fails', async () => (await metric('touchline_task_failures_total')) > 0);
  proxy.forwardTo(kafka.ports.PROXIED as number);

  await counting.send(['a', '3']);
  await untilTrue('it counts on', async () => (await counting.read(counts)).a === '42');
  expect(await metric('touchline_restore_records_total')).toBeGreaterThan(0);
  expect(await metric('touchline_kept_states_total')).toBe(0);
});
