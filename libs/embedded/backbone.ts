import { join, resolve } from 'node:path';
import { composeUp } from './compose.ts';
import { configured } from './configured.ts';
import { type Containers, type Engine, findEngine } from './docker.ts';
import { EmbeddedError, reasonOf } from './errors.ts';
import { startKafka, startKafkaCluster } from './kafka.ts';
import type { OnProgress } from './progress.ts';
import { type EmbeddedRegistryOptions, type SchemaRegistry, startRegistry } from './registry.ts';
import { type Env, QUICK_START } from './settings.ts';

export type BackboneOptions = {
  /** Folder of the embedded broker's data (in `kafka`) and of the registry's logs (in `registry`): DATA_DIR. */
  readonly dataDir: string;
  readonly env: Env;
  readonly onProgress: OnProgress;
  /** Starts the containers where Docker runs. Default: those of Docker Compose, which keep their data. */
  readonly startContainers?: () => Promise<Containers>;
  /** Brokers of an embedded cluster, three at least; neither Docker nor a configured one is then looked for. Default 1. */
  readonly brokerCount?: number;
  /** For a run of a few minutes: an embedded broker starts with half of the work, and is slower later. Default: not. */
  readonly isShort?: boolean;
  /** Ports for the embedded broker and registry where they are free. */
  readonly preferredPorts?: { readonly kafka: number; readonly registry: number };
};

/** A broker and a schema registry to work with. */
export type Backbone = {
  /** Its origin: KAFKA_BROKERS, the Docker engine, or this process. */
  readonly kind: 'configured' | 'docker' | 'embedded';
  /** One line for the user: the choice and its reason. */
  readonly why: string;
  readonly brokers: string[];
  /** Address of the registry's Confluent API. */
  readonly registryUrl: string;
  /** Stops what was started here; never a configured one. */
  stop(): Promise<void>;
};

/**
 * Finds or starts a broker and a registry: those of KAFKA_BROKERS and SCHEMA_REGISTRY_URL when set; else in Docker when
 * an engine answers; else Apache Kafka and Apicurio Registry on this machine's Java, which end with this process.
 * Throws EmbeddedError: CONFIG_INCOMPLETE (one of the two is set), NO_BACKBONE (neither Docker nor a suitable Java; see
 * the cause), DATA_FOLDER_IN_USE, DATA_FOLDER_NEWER, DOWNLOAD_FAILED, START_….
 */
export async function startBackbone(options: BackboneOptions): Promise<Backbone> {
  const { brokerCount = 1 } = options;
  if (brokerCount > 1) return await startEmbedded(options, `${brokerCount} brokers are asked for`);
  const given = configured(options.env);
  if (given) {
    return {
      kind: 'configured',
      why: `using ${given.shown}, as configured`,
      ...given.addresses,
      stop: async () => {},
    };
  }
  const engine = await findEngine(options.env);
  if (!engine) return await startEmbedded(options, 'KAFKA_BROKERS is not set and no Docker engine answers');
  try {
    const { how, containers } = await startInDocker(engine, options);
    const why = `using ${how} at ${engine.address}: KAFKA_BROKERS is not set and Docker runs`;
    return { kind: 'docker', why, ...containers };
  } catch (error) {
    if (!(error instanceof EmbeddedError) || error.code !== 'DOCKER_FAILED') throw error;
    return await startEmbedded(options, `Docker runs but is of no use here (${error.message})`);
  }
}

async function startInDocker(
  engine: Engine,
  { startContainers, env, onProgress }: BackboneOptions,
): Promise<{ how: string; containers: Containers }> {
  onProgress('starting the broker and the registry in Docker');
  if (startContainers !== undefined)
    return { how: 'containers of this run', containers: await startContainers() };
  return { how: 'docker compose', containers: await composeUp(engine, env) };
}

async function startEmbedded(options: BackboneOptions, because: string): Promise<Backbone> {
  const { env, onProgress, preferredPorts, brokerCount = 1, isShort = false } = options;
  const dataDir = resolve(options.dataDir);
  const beside = new RegistryBeside(options, join(dataDir, 'registry'));
  const at = {
    dataDir: join(dataDir, 'kafka'),
    env,
    onProgress,
    jvmArgs: isShort ? QUICK_START : [],
    onStarting: (brokers: readonly string[]) => beside.start(brokers),
  };
  const starting =
    brokerCount > 1
      ? startKafkaCluster({ ...at, brokers: brokerCount })
      : startKafka({ ...at, preferredPort: preferredPorts?.kafka });
  const kafka = await starting.catch(async (error: unknown) => {
    await beside.end();
    throw withAdvice(error, because);
  });
  try {
    const registry = await beside.started;
    return {
      kind: 'embedded',
      why: `using ${brokerCount > 1 ? `${brokerCount} embedded brokers with their` : 'an embedded broker with its'} data in ${dataDir}: ${because}`,
      brokers: kafka.brokers,
      registryUrl: registry.url,
      stop: async () => {
        await registry.stop();
        await kafka.stop();
      },
    };
  } catch (error) {
    await kafka.stop();
    throw error;
  }
}

/** A registry that starts while its brokers do: half of its start needs none. */
class RegistryBeside {
  readonly #options: Omit<EmbeddedRegistryOptions, 'brokers'>;
  #starting: { readonly registry: Promise<SchemaRegistry>; readonly over: AbortController } | null = null;

  constructor({ env, onProgress, preferredPorts }: BackboneOptions, dataDir: string) {
    this.#options = { dataDir, env, onProgress, preferredPort: preferredPorts?.registry };
  }

  /** Starts it for brokers at these addresses, and ends one that was started for others. */
  start(brokers: readonly string[]): void {
    const before = this.end();
    const over = new AbortController();
    const registry = before.then(() => startRegistry({ ...this.#options, brokers, signal: over.signal }));
    // Its failure is heard of by whoever waits for it.
    registry.catch(() => {});
    this.#starting = { registry, over };
  }

  /** Rejects as `startRegistry`. */
  get started(): Promise<SchemaRegistry> {
    if (this.#starting === null) throw new Error('a registry is started by the start of its brokers');
    return this.#starting.registry;
  }

  async end(): Promise<void> {
    this.#starting?.over.abort();
    await this.#starting?.registry.then(
      (registry) => registry.stop(),
      () => {},
    );
  }
}

/** Names what is missing on this machine together with the alternatives. */
function withAdvice(error: unknown, because: string): unknown {
  const missing = ['JAVA_MISSING', 'JAVA_TOO_OLD', 'MAVEN_MISSING'];
  if (!(error instanceof EmbeddedError) || !missing.includes(error.code)) return error;
  const advice = 'or start Docker, or set KAFKA_BROKERS and SCHEMA_REGISTRY_URL';
  return new EmbeddedError('NO_BACKBONE', `${reasonOf(error)}, ${advice} (${because})`, error);
}
