import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startBackbone } from './backbone.ts';
import { reasonOf } from './errors.ts';
import { endProgress, showProgress } from './progress.ts';

const HELP = `Brings up a Kafka broker and a schema registry, says where they are, and stays until it is ended.

  node libs/embedded/main.ts [--data-dir FOLDER]

  --data-dir FOLDER   where the data is kept; a second start continues with it (default: DATA_DIR, else .touchline)
  --help              this text

Prints KAFKA_BROKERS=… and SCHEMA_REGISTRY_URL=… on standard output, all else on standard error.
Where these two are set already they are taken; else Docker where it runs; else Java 17 or later, and Maven the first time.
`;

try {
  const { values } = parseArgs({ options: { 'data-dir': { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) process.stdout.write(HELP);
  else await run(resolve(values['data-dir'] ?? process.env.DATA_DIR ?? '.touchline'));
} catch (error) {
  endProgress(process.stderr);
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exitCode = 1;
}

async function run(dataDir: string): Promise<void> {
  const ended = untilSignal();
  const starting = startBackbone({ dataDir, env: process.env, onProgress: showProgress(process.stderr) });
  const backbone = await Promise.race([starting, ended]);
  // Stopped before all was ready: what already runs ends with this process.
  if (!backbone) process.exit(1);
  endProgress(process.stderr);
  process.stderr.write(`${backbone.why}\n`);
  process.stdout.write(
    `KAFKA_BROKERS=${backbone.brokers.join(',')}\nSCHEMA_REGISTRY_URL=${backbone.registryUrl}\n`,
  );
  const stayAlive = setInterval(() => {}, 60_000);
  await ended;
  clearInterval(stayAlive);
  await backbone.stop();
}

/** Waits for SIGINT or SIGTERM; a second one ends the process at once. */
function untilSignal(): Promise<undefined> {
  return new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        done(undefined);
      });
    }
  });
}
