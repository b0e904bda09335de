import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { reasonOf } from '#errors/touchline-error.ts';
import type { Containers, Engine } from './docker.ts';
import { EmbeddedError, stderrOf } from './errors.ts';
import { CONFLUENT_API, type Env } from './settings.ts';

const FILE = join(import.meta.dirname, '..', '..', 'docker-compose.yml');
/** Includes the time to pull images. */
const TIMEOUT_MS = 15 * 60_000;

/**
 * Starts `kafka` and `registry` of docker-compose.yml and waits until they are healthy. Their data stays in a volume. `stop`
 * stops those that were not running before. Throws DOCKER_FAILED, after stopping them.
 */
export async function composeUp(engine: Engine, env: Env): Promise<Containers> {
  if (!engine.local) {
    throw new EmbeddedError(
      'DOCKER_FAILED',
      `${engine.address} is not on this machine, and neither are the ports of its containers`,
    );
  }
  const running = (await compose(env, 'ps', '--services', '--status', 'running')).split(/\s+/);
  const started = ['registry', 'kafka'].filter((service) => !running.includes(service));
  const stop = async (): Promise<void> => {
    for (const service of started) await compose(env, 'stop', service);
  };
  try {
    await compose(env, 'up', '--detach', '--wait', 'kafka', 'registry');
  } catch (error) {
    // One of them may run and would keep its port, even after a restart of the engine.
    await stop().catch(() => {});
    throw error;
  }
  return {
    brokers: [`127.0.0.1:${env.KAFKA_PORT || 9092}`],
    registryUrl: `http://127.0.0.1:${env.SCHEMA_REGISTRY_PORT || 8085}${CONFLUENT_API}`,
    stop,
  };
}

async function compose(env: Env, ...args: string[]): Promise<string> {
  try {
    // Compose requires every mandatory variable of the file, also of services that are not started.
    const unused = 'not-used-by-the-broker';
    const complete = { WEBHOOK_SECRET: unused, CLIENTS_KEY: unused, ...env };
    const command = ['compose', '--file', FILE, ...args];
    const { stdout } = await promisify(execFile)('docker', command, { env: complete, timeout: TIMEOUT_MS });
    return stdout;
  } catch (cause) {
    const reason = stderrOf(cause).split('\n').at(-1) || reasonOf(cause);
    throw new EmbeddedError('DOCKER_FAILED', `docker compose ${args[0]} failed: ${reason}`, cause);
  }
}
