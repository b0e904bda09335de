/** Claims read the last committed position right after fencing. */
import { expect, onTestFinished, test } from 'vitest';
import { openStreamClient } from '#streams/client/client.ts';
import type { StreamClient, TransactionalProducer } from '#streams/client/port.ts';
import { findPosition, positionRecord } from '#streams/runtime/positions.ts';
import { backbone } from '../../setup/backbone.ts';
import { times } from '../../support/harness.ts';
import { quietLog } from '../../support/log.ts';
import { CountingApplication } from './counting.ts';

const connection = backbone();
const CLAIMS = times(200, 60);
const ABORTED = times(40, 10);

async function openClaims(): Promise<{
  counting: CountingApplication;
  client: StreamClient;
  claim: () => Promise<TransactionalProducer>;
  find: () => Promise<number | null>;
}> {
  const counting = await CountingApplication.create(connection);
  const client = openStreamClient({ brokers: connection.brokers, clientId: 'claims', log: quietLog });
  onTestFinished(() => client.close());
  const { positions, counts } = counting;
  return {
    counting,
    client,
    claim: () =>
      client.openProducer({
        transactionalId: counting.application,
        own: [positions, counts].map((topic) => ({ topic, partition: 0 })),
        lastCommitted: async () => (await findPosition(client, positions, 0))?.producer ?? null,
      }),
    find: async () => (await findPosition(client, positions, 0))?.next ?? null,
  };
}

/** Commits a result and the position after it in one transaction. */
function commit(producer: TransactionalProducer, { counts, positions }: CountingApplication, next: number) {
  const position = {
    next,
    topicId: 'any',
    inputEpoch: null,
    logs: {},
    producer: producer.identity,
  };
  return producer.transact([
    { topic: counts, partition: 0, key: 'a', value: Buffer.from(String(next)) },
    positionRecord(positions, 0, position),
  ]);
}

test('reads the last commit of the previous owner in each of many claims', async () => {
  const { counting, claim, find } = await openClaims();
  let owner = await claim();
  for (let next = 1; next <= CLAIMS; next += 1) {
    await commit(owner, counting, next);
    const before = owner;
    owner = await claim();
    expect(await find()).toBe(next);
    if (next % 20 === 0) await expect(commit(before, counting, -1)).rejects.toMatchObject({ code: 'FENCED' });
    await before.close();
  }
  expect((await counting.history(counting.counts)).at(-1)).toEqual(['a', String(CLAIMS)]);
});

test('finds a position before any number of aborted transactions', async () => {
  const { counting, client, claim, find } = await openClaims();
  await commit(await claim(), counting, 7);
  for (let n = 0; n < ABORTED; n += 1) {
    const owner = await claim();
    // The second record is too large, so that the position is aborted.
    await expect(
      owner.transact([
        positionRecord(counting.positions, 0, {
          next: 8 + n,
          topicId: 'any',
          inputEpoch: null,
          logs: {},
          producer: owner.identity,
        }),
        { topic: counting.counts, partition: 0, key: 'a', value: Buffer.alloc(2 * 1024 * 1024) },
      ]),
    ).rejects.toMatchObject({ code: 'RECORD_TOO_LARGE' });
    await owner.close();
  }
  await (await claim()).close();
  const [bounds] = await client.logBounds([{ topic: counting.positions, partition: 0 }]);
  // A record and a marker of each aborted transaction.
  expect(bounds?.end).toBeGreaterThanOrEqual(2 * ABORTED);
  expect(await find()).toBe(7);
  expect(await counting.history(counting.counts)).toEqual([['a', '7']]);
});
