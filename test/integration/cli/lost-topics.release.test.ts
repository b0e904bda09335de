/** Every topic is lost, cut and changed: what is said of it, by whom, and that the command which doctor prints mends it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { cutLog } from '../../support/cut-log.ts';
import { type RestartableKafka, restartableKafka } from '../../support/restartable-kafka.ts';
import { CHANGES, LOSSES, LostTopics, NO_END, ROW_NAMES, ROWS } from './lost-topics.ts';

let broker: RestartableKafka;
/** Undefined after a test that failed. */
let system: LostTopics | undefined;

const stopping = new AbortController();

beforeAll(async () => {
  broker = await restartableKafka();
});

afterAll(() => stopping.abort());

/** Returns a system that nothing has happened to. */
async function wholeSystem(): Promise<LostTopics> {
  const connection = { ...backbone(), brokers: broker.directBrokers };
  const whole = system ?? (await LostTopics.create(connection, stopping.signal));
  system = undefined;
  await whole.fill();
  expect(await whole.failures()).toEqual([]);
  return whole;
}

test('has a row for each schema', () => {
  const schemas = readdirSync(join(import.meta.dirname, '../../../schemas')).filter((file) =>
    file.endsWith('.avsc'),
  );
  expect(ROW_NAMES).toEqual(expect.arrayContaining(schemas.map((file) => file.slice(0, -'.avsc'.length))));
});

describe.each(ROW_NAMES)('%s', (topic) => {
  test.each(LOSSES)('%s', async (loss) => {
    const whole = await wholeSystem();
    if (loss === 'end') {
      await broker.kafka.kill('SIGKILL');
      // An edit is a record and the marker of its transaction.
      const batches = ROWS[topic].end === NO_END ? 2 : 1;
      cutLog(broker.dataDir, { topic: whole.nameOf(topic), partition: 0 }, batches);
      await broker.kafka.start();
    } else await whole.lose(topic, loss);
    await whole.expectLost(topic, loss);
    await whole.mend();
    system = whole;
  });
});

test.each(Object.keys(CHANGES) as (keyof typeof CHANGES)[])('all topics with another %s', async (change) => {
  const whole = await wholeSystem();
  await whole.change(change);
  await whole.expectChanged(change);
  // More partitions take a replay, whatever is printed.
  if (change === 'partitions') return;
  await whole.mend();
  system = whole;
});
