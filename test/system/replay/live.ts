/** Plays matches live, with faults, for tests of replays of the log. */
import { backbone } from '../../setup/backbone.ts';
import { connectionEnv } from '../../support/environment.ts';
import { untilTrue } from '../../support/poll.ts';
import { startService } from '../../support/processes.ts';
import { TablesPipeline } from '../../support/standings/tables-pipeline.ts';
import { logged, WEBHOOK_SECRET } from '../../support/system.ts';

/** Whether to play the whole tournament and season instead of a few matches. */
const FULL = process.env.REPLAY === 'full';
const MATCHES = FULL
  ? { 'world-cup-2018': 64, 'england-2017-18': 380 }
  : { 'world-cup-2018': 4, 'england-2017-18': 5 };
const DEADLINE_MS = FULL ? 600_000 : undefined;

/** Plays the matches, and waits until states and tables include every message. */
export async function playLive(played: Readonly<Record<string, number>> = MATCHES): Promise<TablesPipeline> {
  const place = backbone();
  const tables = await TablesPipeline.create(place);
  const env = connectionEnv(place);
  const receiver = startService('webhook-receiver', { ...env, WEBHOOK_PORT: '0', WEBHOOK_SECRET });
  const processors = [tables.pipeline.startProcessor(), tables.startTables()];
  await Promise.all([receiver, ...processors].map((service) => service.ready()));
  const { port } = await logged(receiver, 'POST /webhook');
  for (const [dataset, matches] of Object.entries(played)) {
    const simulator = startService('simulator', {
      WEBHOOK_URL: `http://127.0.0.1:${port}/webhook`,
      WEBHOOK_SECRET,
      DATASET: dataset,
      MATCHES: String(matches),
      SPEED: 'max',
      FAULTS: 'some',
      ...(FULL ? {} : { KEEP_ALIVE_EVERY: '0', CLOCK_EVERY: '300' }),
      SEED: process.env.SEED ?? '1',
    });
    await untilTrue(`${dataset} is played`, () => simulator.exited, DEADLINE_MS);
  }
  await tables.settled();
  await Promise.all(processors.map((service) => service.stop()));
  await receiver.stop();
  return tables;
}
