/** Every topic is lost and cut: what is said of it, by whom, and that the command which doctor prints mends it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { cutLog } from '../../support/cut-log.ts';
import { type RestartableKafka, restartableKafka } from '../../support/restartable-kafka.ts';
import { GROUPS, LOSSES, LostTopics, MESSAGES, NO_END, ROWS } from './lost-topics.ts';

let broker: RestartableKafka;
/** Undefined after a test that failed. */
let system: LostTopics | undefined;

beforeAll(async () => {
  broker = await restartableKafka();
});

/** Returns a system that nothing has happened to. */
async function wholeSystem(): Promise<LostTopics> {
  const connection = { ...backbone(), brokers: broker.directBrokers };
  const whole = system ?? (await LostTopics.create(connection));
  system = undefined;
  await whole.fill();
  expect(await whole.failures()).toEqual([]);
  return whole;
}

test('has a row for each schema', () => {
  const schemas = readdirSync(join(import.meta.dirname, '../../../schemas')).filter((file) =>
    file.endsWith('.avsc'),
  );
  expect(Object.keys(ROWS)).toEqual(
    expect.arrayContaining(schemas.map((file) => file.slice(0, -'.avsc'.length))),
  );
});

describe.each([...GROUPS])('%s', (_, topics) => {
  test.each(LOSSES)('%s', async (loss) => {
    const whole = await wholeSystem();
    if (loss === 'end') {
      await broker.kafka.kill('SIGKILL');
      for (const topic of topics) {
        // An edit is a record and the marker of its transaction.
        const batches = ROWS[topic].end === NO_END || topic === 'topic-ids' ? 2 : 1;
        cutLog(broker.dataDir, { topic: whole.nameOf(topic), partition: 0 }, batches);
      }
      await broker.kafka.start();
    } else await whole.lose(topics, loss);
    await whole.expectLost(topics, loss);
    await whole.mend();
    // What a lost message gave cannot be derived again.
    if (!topics.includes(MESSAGES)) system = whole;
  });
});
