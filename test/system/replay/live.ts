/** Plays matches live, with faults, for tests of replays of the log. */
import { backbone } from '../../setup/backbone.ts';
import { TablesPipeline } from '../../support/standings/tables-pipeline.ts';
import { playAtOnce, startReceiver } from '../../support/system.ts';

const FULL = process.env.REPLAY === 'full';
const MATCHES = FULL
  ? { 'world-cup-2018': 64, 'england-2017-18': 380 }
  : { 'world-cup-2018': 2, 'england-2017-18': 3 };
const DEADLINE_MS = FULL ? 600_000 : undefined;

/** Plays the matches, and waits until states and tables include every message. */
export async function playLive(played: Readonly<Record<string, number>> = MATCHES): Promise<TablesPipeline> {
  const connection = backbone();
  const tables = await TablesPipeline.create(connection);
  const processors = [tables.pipeline.startProcessor(), tables.startTables()];
  const [receiver] = await Promise.all([
    startReceiver(connection),
    ...processors.map((service) => service.ready()),
  ]);
  for (const [dataset, matches] of Object.entries(played)) {
    const settings = {
      WEBHOOK_URL: receiver.url,
      DATASET: dataset,
      MATCHES: String(matches),
      FAULTS: 'some',
      SEED: process.env.SEED ?? '1',
    };
    await playAtOnce(settings, DEADLINE_MS);
  }
  await tables.settled();
  await Promise.all(processors.map((service) => service.stop()));
  await receiver.service.stop();
  return tables;
}
