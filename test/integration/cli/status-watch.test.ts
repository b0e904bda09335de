import { beforeAll, describe, expect, test } from 'vitest';
import type { Kafka } from '#embedded/kafka.ts';
import { backbone } from '../../setup/backbone.ts';
import { untilTrue } from '../../support/poll.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { TerminalRun } from '../../support/terminal.ts';
import { touchlineHere } from '../../support/touchline-here.ts';

const SIZE = { columns: 110, rows: 40 };

let kafka: Kafka;
let env: Record<string, string>;

beforeAll(async () => {
  ({ kafka } = await restartableKafka());
  const { registryUrl, prefix } = backbone();
  env = { KAFKA_BROKERS: kafka.brokers.join(','), SCHEMA_REGISTRY_URL: registryUrl, TOPIC_PREFIX: prefix };
  const { code, err } = await touchlineHere(['topics', '--partitions', '1'], env);
  if (code !== 0) throw new Error(err);
}, 180_000);

describe('touchline status --watch', () => {
  test('says that its broker is away, and comes back with it', async () => {
    const run = new TerminalRun(['status', '--watch'], env, SIZE);
    await run.shows(/^match-processor +0 +1 +0 {2}not running$/);
    await kafka.kill();
    // Longer than any request is tried.
    await run.shows(/ 2\d s ago: the broker has not answered since$/);
    await kafka.start();
    await run.shows(/^\S+ {2}\S+Z$/);
    run.interrupt();
    expect(await run.ended).toBe(0);
  });

  test('leaves one screen on a terminal, however narrow', async () => {
    const run = new TerminalRun(['status', '--watch'], env, { columns: 44, rows: 12 });
    const draws = (): number => run.raw.split('processes').length - 1;
    await run.shows(/^match-processor +0 +1/);
    await untilTrue('it is drawn some times', () => draws() > 4);
    expect(run.lines.filter((line) => line.includes('match-processor'))).toHaveLength(1);
    expect(run.lines.length).toBeLessThanOrEqual(12);
    run.interrupt();
    expect(await run.ended).toBe(0);
  });
});
