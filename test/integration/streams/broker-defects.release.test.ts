import { describe, expect, test } from 'vitest';
import { findBrokerDefects } from '#cluster/broker-defects.ts';
import { freePort } from '#embedded/ports.ts';
import { backbone } from '../../setup/backbone.ts';
import { connectionEnv } from '../../support/environment.ts';
import { times } from '../../support/harness.ts';
import { startOwnKafka } from '../../support/own-kafka.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { startService } from '../../support/processes.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';

const CODE = 'KAFKA-20734';
const UNSTABLE = { 'unstable.api.versions.enable': 'true', 'unstable.feature.versions.enable': 'true' };

describe('defects of brokers', () => {
  test('finds none in 4.2.1; in the full run, not even with features of 4.3 enabled', async () => {
    expect(await findBrokerDefects((await restartableKafka()).directBrokers)).toEqual([]);
    for (const settings of times([UNSTABLE], [])) {
      const { brokers } = await startOwnKafka({ version: '4.2.1', settings });
      expect(await findBrokerDefects(brokers)).toEqual([]);
    }
  });

  test('finds 4.3.1 beside a broker that does not respond; each processor logs it once', async () => {
    const { brokers } = await startOwnKafka({ version: '4.3.1' });
    const [defect, ...more] = await findBrokerDefects([`127.0.0.1:${await freePort()}`, ...brokers]);
    expect(more).toEqual([]);
    expect(defect).toMatchObject({ code: CODE, brokers });
    expect(defect?.message).toContain('docs/known-issues.md');

    const connection = {
      ...backbone(),
      brokers,
      services: ['match-processor', 'standings-processor'] as const,
    };
    const pipeline = await Pipeline.create(connection);
    const services = [
      pipeline.startProcessor(),
      startService('standings-processor', connectionEnv(connection)),
    ];
    for (const service of services) {
      const notices = () => service.lines.map((line) => JSON.parse(line)).filter(({ code }) => code === CODE);
      await service.ready();
      await untilTrue('the defect is logged', () => notices().length > 0);
      expect(await service.stop()).toBe(0);
      expect(notices()).toEqual([expect.objectContaining({ level: 40, msg: defect?.message, brokers })]);
    }
  });

  test('finds none in a cluster that does not respond', async () => {
    expect(await findBrokerDefects([`127.0.0.1:${await freePort()}`])).toEqual([]);
    expect(await findBrokerDefects([])).toEqual([]);
  });
});
