import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { reasonOf } from '#errors/touchline-error.ts';
import { EmbeddedError, stderrOf } from './errors.ts';
import { CONFLUENT_API, type Env } from './settings.ts';

/** A Docker engine. `address`: `unix:///path` or `tcp://host:port`; `local`: whether it runs on this machine. */
export type Engine = { readonly address: string; readonly local: boolean };

/** A broker and a registry that run in containers. */
export type Containers = {
  readonly brokers: string[];
  readonly registryUrl: string;
  stop(): Promise<void>;
};

const PING_TIMEOUT_MS = 2_000;
const UNIX = 'unix://';

/** Returns the engine of DOCKER_HOST, else the first that answers at a default socket; undefined if none answers. */
export async function findEngine(env: Env): Promise<Engine | undefined> {
  for (const address of engineAddresses(env)) {
    if (await answersPing(address)) return { address, local: isLocal(address) };
  }
  return undefined;
}

/** Returns the addresses of engines to try, in order. */
export function engineAddresses(env: Env): string[] {
  if (env.DOCKER_HOST) return [env.DOCKER_HOST];
  const sockets = ['/var/run/docker.sock', join(env.HOME ?? homedir(), '.docker', 'run', 'docker.sock')];
  if (env.XDG_RUNTIME_DIR) sockets.push(join(env.XDG_RUNTIME_DIR, 'docker.sock'));
  return sockets.map((path) => UNIX + path);
}

function isLocal(address: string): boolean {
  return address.startsWith(UNIX) || ['localhost', '127.0.0.1', '[::1]'].includes(new URL(address).hostname);
}

function answersPing(address: string): Promise<boolean> {
  const target = pingTarget(address);
  if (!target) return Promise.resolve(false);
  return new Promise((resolve) => {
    const ping = request({ ...target, path: '/_ping', timeout: PING_TIMEOUT_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on('timeout', () => ping.destroy(new Error('no answer in time')));
    ping.on('error', () => resolve(false));
    ping.end();
  });
}

function pingTarget(address: string): { socketPath: string } | { host: string; port: number } | undefined {
  if (address.startsWith(UNIX)) return { socketPath: address.slice(UNIX.length) };
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, port } = new URL(address);
  return protocol === 'tcp:' ? { host: hostname, port: Number(port) || 2375 } : undefined;
}

const FILE = join(import.meta.dirname, '..', '..', 'docker-compose.yml');
/** Includes the time to pull images. */
const TIMEOUT_MS = 15 * 60_000;

/** Starts `kafka` and `registry` of docker-compose.yml; their data stays. `stop` stops those that did not run before. Throws DOCKER_FAILED. */
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
