import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { reasonOf } from '#errors/touchline-error.ts';
import { type Kafka, startKafka } from './kafka.ts';
import type { OnProgress } from './progress.ts';
import { type SchemaRegistry, startRegistry } from './registry.ts';
import { supervise } from './server.ts';
import { CONFLUENT_API, EmbeddedError, type Env, QUICK_START, stderrOf } from './settings.ts';

type BackboneOptions = {
  /** Folder for the embedded broker's data (in `kafka`) and the registry's logs (in `registry`): DATA_DIR. */
  readonly dataDir: string;
  readonly env: Env;
  readonly onProgress: OnProgress;
  /** Called with each end and restart of a server that this process started, one line. Default: silent. */
  readonly onProblem?: OnProgress;
  /** Starts containers if Docker runs. Default: those of Docker Compose, which keep their data. */
  readonly startContainers?: () => Promise<Containers>;
  /** For runs of a few minutes: an embedded broker then starts faster and is slower later. Default: false. */
  readonly isShort?: boolean;
  /** Ports for the embedded broker and registry, used if they are free. */
  readonly preferredPorts?: Readonly<Record<'kafka' | 'registry', number | undefined>>;
};

/** A running broker and schema registry. */
export type Backbone = {
  /** Their origin: KAFKA_BROKERS, the Docker engine, or this process. */
  readonly kind: 'configured' | 'docker' | 'embedded';
  /** The choice and its reason, one line for the user. */
  readonly why: string;
  readonly brokers: string[];
  readonly registryUrl: string;
  /** Stops the servers that this process started, never configured ones. */
  stop(): Promise<void>;
};

/**
 * Finds or starts a broker and a registry: those of KAFKA_BROKERS and SCHEMA_REGISTRY_URL; else containers; else Apache Kafka and
 * Apicurio Registry with this machine's Java, which end with this process. Throws EmbeddedError.
 */
export async function startBackbone(options: BackboneOptions): Promise<Backbone> {
  const given = configured(options.env);
  if (given) return given;
  const engine = await findEngine(options.env);
  if (!engine) return await startEmbedded(options, 'KAFKA_BROKERS is not set and no Docker engine answers');
  try {
    options.onProgress('starting the broker and the registry in Docker');
    const { startContainers = () => composeUp(engine, options.env) } = options;
    const containers = await startContainers();
    const why = `using containers at ${engine}: KAFKA_BROKERS is not set and Docker runs`;
    return { kind: 'docker', why, ...containers };
  } catch (error) {
    if (!(error instanceof EmbeddedError) || error.code !== 'DOCKER_FAILED') throw error;
    return await startEmbedded(options, `Docker runs but cannot be used (${error.message})`);
  }
}

async function startEmbedded(options: BackboneOptions, because: string): Promise<Backbone> {
  const { env, onProgress, onProblem = () => {}, preferredPorts, isShort = false } = options;
  const dataDir = resolve(options.dataDir);
  const ending = new AbortController();
  const { signal } = ending;
  let kafka: Kafka | undefined;
  let starting: Promise<SchemaRegistry> | undefined;
  const stop = async (): Promise<void> => {
    ending.abort();
    await starting?.then((registry) => registry.stop()).catch(() => {});
    await kafka?.stop();
  };
  try {
    kafka = await startKafka({
      dataDir: join(dataDir, 'kafka'),
      env,
      onProgress,
      jvmArgs: isShort ? QUICK_START : [],
      preferredPort: preferredPorts?.kafka,
      // The registry starts while its broker does: half of its start needs no broker.
      onStarting(brokers) {
        const registryDir = join(dataDir, 'registry');
        const preferredPort = preferredPorts?.registry;
        starting = startRegistry({ brokers, dataDir: registryDir, preferredPort, env, onProgress, signal });
        // Awaited below.
        starting.catch(() => {});
      },
    });
    const registry = await (starting as unknown as Promise<SchemaRegistry>);
    const supervised = [
      supervise('schema registry', registry, { onProblem, signal }),
      supervise('broker', kafka, { onProblem, signal }),
    ];
    return {
      kind: 'embedded',
      why: `using an embedded broker with its data in ${dataDir}: ${because}`,
      brokers: kafka.brokers,
      registryUrl: registry.url,
      stop: async () => {
        await stop();
        await Promise.all(supervised);
      },
    };
  } catch (error) {
    await stop();
    if (!(error instanceof EmbeddedError) || !MISSING.includes(error.code)) throw error;
    const advice = `or start Docker, or set KAFKA_BROKERS and SCHEMA_REGISTRY_URL (${because}; docs/guides/run-it.md)`;
    throw new EmbeddedError('NO_BACKBONE', `${error.message}, ${advice}`, error);
  }
}

const MISSING: readonly string[] = ['JAVA_MISSING', 'JAVA_TOO_OLD', 'MAVEN_MISSING'];

const INCOMPLETE = 'only one of KAFKA_BROKERS and SCHEMA_REGISTRY_URL is set: set both, or neither';

/** Returns KAFKA_BROKERS and SCHEMA_REGISTRY_URL, shown without user, password and query; undefined if neither is set. Throws CONFIG_INCOMPLETE. */
export function configured(env: Env): Backbone | undefined {
  const brokers = (env.KAFKA_BROKERS ?? '')
    .split(',')
    .map((broker) => broker.trim())
    .filter((broker) => broker !== '');
  const url = (env.SCHEMA_REGISTRY_URL ?? '').trim().replace(/\/+$/, '');
  if (brokers.length === 0 && url === '') return undefined;
  if (brokers.length === 0 || url === '') throw new EmbeddedError('CONFIG_INCOMPLETE', INCOMPLETE);
  const { origin, pathname } = new URL(url);
  return {
    kind: 'configured',
    why: `using ${brokers.join(',')} and ${origin}${pathname}, as configured`,
    brokers,
    registryUrl: url,
    stop: async () => {},
  };
}

const run = promisify(execFile);

/** A broker and a registry that run in containers. */
export type Containers = Omit<Backbone, 'kind' | 'why'>;

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

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];
const FILE = join(import.meta.dirname, '..', '..', 'docker-compose.yml');
/** Includes the time to pull images. */
const TIMEOUT_MS = 15 * 60_000;

/** Starts `kafka` and `registry` of docker-compose.yml; their data stays. `stop` stops those that did not run before. Throws DOCKER_FAILED. */
export async function composeUp(engine: string, env: Env): Promise<Containers> {
  const url = URL.parse(engine);
  if (url !== null && url.protocol !== 'unix:' && !LOCAL.includes(url.hostname)) {
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
