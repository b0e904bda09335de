import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { reasonOf } from '#errors/touchline-error.ts';
import { EmbeddedError, stderrOf } from './errors.ts';
import { CONFLUENT_API, type Env } from './settings.ts';

const run = promisify(execFile);

/** A broker and a registry that run in containers. */
export type Containers = {
  readonly brokers: string[];
  readonly registryUrl: string;
  stop(): Promise<void>;
};

const ANSWER_MS = 5_000;

/** Returns the address of the engine that the command `docker` reaches: DOCKER_HOST, or a default socket; undefined if none answers. */
export async function findEngine(env: Env): Promise<string | undefined> {
  try {
    await run('docker', ['version', '--format', '{{.Server.Version}}'], { env, timeout: ANSWER_MS });
    return env.DOCKER_HOST || 'its default socket';
  } catch {
    return undefined;
  }
}

function isLocal(engine: string): boolean {
  const url = URL.parse(engine);
  if (url === null || url.protocol === 'unix:') return true;
  return ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

const FILE = join(import.meta.dirname, '..', '..', 'docker-compose.yml');
/** Includes the time to pull images. */
const TIMEOUT_MS = 15 * 60_000;

/** Starts `kafka` and `registry` of docker-compose.yml; their data stays. `stop` stops those that did not run before. Throws DOCKER_FAILED. */
export async function composeUp(engine: string, env: Env): Promise<Containers> {
  if (!isLocal(engine)) {
    const reason = `${engine} is not on this machine, and neither are the ports of its containers`;
    throw new EmbeddedError('DOCKER_FAILED', reason);
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
    const { stdout } = await run('docker', command, { env: complete, timeout: TIMEOUT_MS });
    return stdout;
  } catch (cause) {
    const reason = stderrOf(cause).split('\n').at(-1) || reasonOf(cause);
    throw new EmbeddedError('DOCKER_FAILED', `docker compose ${args[0]} failed: ${reason}`, cause);
  }
}
