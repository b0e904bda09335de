/** Commands on a `touchline up` of which a processor refuses its partitions: the platform is never ready. */

import { expect, test } from 'vitest';
import { readPositions } from '#cluster/logs.ts';
import { createTopics, deleteTopics } from '#topics/admin.ts';
import { backbone } from '../../setup/backbone.ts';
import { ANY_PORTS, connectionEnv } from '../../support/environment.ts';
import { FEW_PARTITIONS, Pipeline } from '../../support/pipeline.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { workload } from '../../support/workload.ts';
import { touchline } from '../demo/platform.ts';

const PROCESSED_AGAIN = 'match-processor and standings-processor and alert-processor process';

test('rebuilds a refused processor with the command that it prints, beside the platform that runs it', async () => {
  const connection = backbone();
  const { brokers, prefix } = connection;
  const pipeline = await Pipeline.create(connection);
  const first = pipeline.startProcessor();
  await pipeline.feed(workload({ events: 6, perEvent: 10, seed: 5 }));
  await pipeline.settled();
  const { states } = await pipeline.output();
  await first.stop();
  await deleteTopics(brokers, [`${prefix}match-state`]);
  await createTopics({ brokers, prefix, partitions: FEW_PARTITIONS });

  const DATA_DIR = temporaryFolder();
  const settings = {
    ...connectionEnv(connection),
    TOPIC_PARTITIONS: String(FEW_PARTITIONS),
    ...ANY_PORTS,
  };
  const run = touchline(['up'], { ...settings, DATA_DIR });
  const [, printed = ''] = await run.says(/match-state.*npx touchline (rebuild match-processor --yes)/);
  expect(run.text()).not.toContain('Touchline is up');
  const command = (line: string) => touchlineHere(line.split(' '), { DATA_DIR });
  const shown = await command('position match-processor');
  expect(shown, shown.err).toMatchObject({ code: 0, err: '' });
  expect((await command('doctor')).out).not.toContain('no broker: ');

  const rebuilt = await command(printed);
  expect(rebuilt, rebuilt.err).toMatchObject({ code: 0, out: expect.stringContaining(PROCESSED_AGAIN) });
  await run.says('match-processor is stopped for a command');
  await run.says('Touchline is up');
  await pipeline.settled();
  expect([...(await pipeline.output()).states.keys()].sort()).toEqual([...states.keys()].sort());
  const positions = { brokers, application: `${prefix}match-processor` };
  expect((await readPositions(positions)).size).toBeGreaterThan(0);
  const second = touchline(['up'], { ...settings, TOPIC_PREFIX: 'other.', DATA_DIR });
  expect(await second.end()).toBe(1);
  expect(second.text()).toContain(
    `already runs with the data folder ${DATA_DIR} (broker ${brokers.join(',')}`,
  );
  expect(await command('position match-processor')).toMatchObject({ code: 0, err: '' });
  // Its processes would have the names of these, and each would end the other's.
  const another = touchline(['up'], { ...settings, DATA_DIR: temporaryFolder() });
  expect(await another.end()).toBe(1);
  expect(another.text()).toMatch(
    new RegExp(
      `^touchline up: match-processor of this machine already runs on the topics ${prefix}.*: stop the other`,
      'm',
    ),
  );
  expect(run.text()).not.toContain('FENCED_INSTANCE_ID');

  run.child.kill('SIGTERM');
  expect(await run.end()).toBe(0);
  expect((await command('position match-processor')).err).toContain('no broker: ');
});
