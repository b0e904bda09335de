import { setTimeout as delay } from 'node:timers/promises';
import { COMPATIBILITY, SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import { reasonOf } from '#errors/touchline-error.ts';
import type { TopicValues } from '#records/types.ts';
import { tlsFailure } from '#security/tls.ts';
import { jittered } from '#timing/retry.ts';
import { AVRO_OPTIONS } from './avro-types.ts';
import {
  type AvroRecord,
  type AvroType,
  avroType,
  type Codec,
  createCodec,
  createDecoder,
  type Decoder,
  loadSchemas,
} from './codec.ts';
import { IncompatibleSchemaError, RegistryUnavailableError } from './errors.ts';
import {
  authorizationOf,
  PROBE_PATH,
  parseRegistryAddress,
  type RegistryAddress,
  RegistryHttpError,
  type RegistryUrl,
  registryAgent,
  registryDenial,
  requestJson,
  UNAVAILABLE,
} from './registry-http.ts';
import { TOPIC_NAMES, type TopicName } from './topics.ts';

type RegistryOptions = {
  /** Address of its Confluent API, e.g. `http://localhost:8081/apis/ccompat/v7`. */
  readonly url: RegistryUrl;
  /** Topic prefix: subjects are `<prefix><topic>-value`. */
  readonly prefix: string;
  /** Maximum time for retries while the registry is down or starting, milliseconds. Default: 60,000. */
  readonly waitMs?: number;
};

/** The codecs of topics, by topic. */
export type CodecsOf<T extends TopicName> = { readonly [K in T]: Codec<TopicValues[K]> };

/** A topic's newest schema at the registry, compared with this release's. `unreadable`: this release cannot read its records. */
export type SchemaState = 'registered' | 'another version' | 'unreadable' | 'missing';

const REQUEST_MS = 5_000;
const FIRST_RETRY_MS = 50;
const RETRY_CEILING_MS = 1_000;
/** Total pause while an id is unknown: a restarted registry answers before it knows all ids. */
const UNKNOWN_MS = 5_000;
/** How long the pause for one id also counts for others, of which a registry that lost its schemas has many. */
const UNKNOWN_ALIKE_MS = 10_000;

/** Statuses with which a registry refuses a change to credentials that may read. */
const FORBIDDEN: ReadonlySet<number> = new Set([401, 403, 405]);

/** The schemas of all topics at a registry. Every request is retried while the registry starts. */
export class Registry {
  readonly #address: RegistryAddress;
  readonly #prefix: string;
  readonly #waitMs: number;
  readonly #client: RegistryClient;
  readonly #schemas = loadSchemas().topics;
  readonly #registered = new Map<TopicName, Promise<number>>();
  /** Ids that stayed unknown for `UNKNOWN_MS`. */
  readonly #unknown = new Set<number>();
  /** When such an id was last waited for. */
  #waitedAt = Number.NEGATIVE_INFINITY;

  private constructor({ url, prefix, waitMs = 60_000 }: RegistryOptions) {
    this.#address = parseRegistryAddress(url);
    this.#prefix = prefix;
    this.#waitMs = waitMs;
    this.#client = new RegistryClient(this.#address);
  }

  /** Returns a registry. Sends no request. */
  static open(options: RegistryOptions): Registry {
    return new Registry(options);
  }

  subject(topic: TopicName): string {
    return `${this.#prefix}${topic}-value`;
  }

  /** Registers every topic's schema in order, so that each has its id again. Throws `IncompatibleSchemaError`, `RegistryUnavailableError`. */
  async registerAll(): Promise<void> {
    for (const topic of await this.missing()) await this.#register(topic);
  }

  /** Returns those of these topics whose schema of this release is not registered. Throws `RegistryUnavailableError`. */
  async missing(topics: readonly TopicName[] = TOPIC_NAMES): Promise<TopicName[]> {
    const known = await Promise.all(topics.map((topic) => this.#findOwn(topic)));
    return topics.filter((_, at) => known[at] === null);
  }

  /** Registers the schema of a topic. Returns the codec of its values. Throws as `registerAll`. */
  async codec<T extends TopicName>(topic: T): Promise<Codec<TopicValues[T]>> {
    const id = await this.#register(topic);
    return createCodec(topic, avroType(this.#schema(topic)), id, (writer) => this.#findWriter(writer));
  }

  /** Returns the codecs of several topics. Registers and throws as `codec`. */
  async codecs<const T extends TopicName>(topics: readonly T[]): Promise<CodecsOf<T>> {
    const codecs = await Promise.all(topics.map(async (topic) => [topic, await this.codec(topic)] as const));
    return Object.fromEntries(codecs) as CodecsOf<T>;
  }

  /** Returns the decoder of a topic's values. Changes nothing at the registry. */
  decoder<T extends TopicName>(topic: T): Decoder<TopicValues[T]> {
    return createDecoder(topic, avroType(this.#schema(topic)), (writer) => this.#findWriter(writer));
  }

  /** Compares the newest schema of a topic at the registry with that of this release. Throws `RegistryUnavailableError`. */
  async schemaState(topic: TopicName): Promise<SchemaState> {
    const own = avroType(this.#schema(topic));
    try {
      const newest = await this.#whenAnswered(() => this.#client.newest(this.subject(topic)));
      if (own.equals(newest)) return 'registered';
      return isReadable(own, newest) ? 'another version' : 'unreadable';
    } catch (error) {
      if (statusOf(error) === 404) return 'missing';
      throw this.#unavailable(error);
    }
  }

  #schema(topic: TopicName): AvroRecord {
    const schema = this.#schemas.get(topic);
    if (schema === undefined) throw new Error(`schemas/${topic}.avsc is missing`);
    return schema;
  }

  #register(topic: TopicName): Promise<number> {
    let id = this.#registered.get(topic);
    if (id === undefined) {
      id = this.#registerNow(topic);
      this.#registered.set(topic, id);
      id.catch(() => this.#registered.delete(topic));
    }
    return id;
  }

  /** Registers a schema unless it is registered: credentials that may only read suffice then. */
  async #registerNow(topic: TopicName): Promise<number> {
    const subject = this.subject(topic);
    try {
      const known = await this.#findOwn(topic);
      if (known !== null) return known;
      const rule = await this.#checkRule(topic);
      return await this.#whenAnswered(() => this.#client.register(subject, this.#schema(topic), rule));
    } catch (error) {
      throw this.#refusalOf(topic, error);
    }
  }

  /** Returns the id of a topic's schema; null if it is not registered. Requires the rule, unless it may not be read or set. */
  async #findOwn(topic: TopicName): Promise<number | null> {
    try {
      const id = await this.#whenAnswered(() => this.#client.idOf(this.subject(topic), this.#schema(topic)));
      if (id === null) return null;
      await this.#checkRule(topic).catch((error: unknown) => {
        if (!FORBIDDEN.has(statusOf(error) ?? 0)) throw error;
      });
      return id;
    } catch (error) {
      throw this.#refusalOf(topic, error);
    }
  }

  #refusalOf(topic: TopicName, error: unknown): Error {
    if (error instanceof IncompatibleSchemaError) return error;
    if (statusOf(error) !== 409) return this.#unavailable(error);
    return new IncompatibleSchemaError(topic, this.subject(topic), reasonOf(error), error);
  }

  #checkRule(topic: TopicName): Promise<COMPATIBILITY> {
    return this.#whenAnswered(() => this.#client.requireBackward(topic, this.subject(topic)));
  }

  /** Returns the schema of an id; null if it stays unknown to the registry. */
  async #findWriter(id: number): Promise<AvroType | null> {
    const wasWaited = this.#unknown.has(id) || performance.now() - this.#waitedAt < UNKNOWN_ALIKE_MS;
    const unknownMs = wasWaited ? 0 : UNKNOWN_MS;
    try {
      return await this.#whenAnswered(() => this.#client.find(id), unknownMs);
    } catch (error) {
      if (statusOf(error) !== 404) throw this.#unavailable(error);
      this.#unknown.add(id);
      if (!wasWaited) this.#waitedAt = performance.now();
      return null;
    }
  }

  #unavailable(error: unknown): RegistryUnavailableError {
    if (error instanceof RegistryUnavailableError) return error;
    const denied = registryDenial(this.#address, error);
    return (
      denied ??
      new RegistryUnavailableError('REGISTRY_UNAVAILABLE', this.#address.url, reasonOf(error), error)
    );
  }

  /** Retries while the registry is down; while it answers that an id or subject is unknown, for `unknownMs` of pauses. */
  async #whenAnswered<T>(request: () => Promise<T>, unknownMs = 0): Promise<T> {
    const deadline = performance.now() + this.#waitMs;
    let unknownLeft = unknownMs;
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(2 * wait, RETRY_CEILING_MS)) {
      const startedAt = performance.now();
      try {
        return await request();
      } catch (error) {
        const status = statusOf(error) ?? 0;
        if (status === 404) unknownLeft -= wait;
        const isDown =
          (status >= 500 || status === 429) &&
          tlsFailure(error) === undefined &&
          startedAt + wait <= deadline;
        if (status === 404 ? unknownLeft < 0 : !isDown) throw error;
        // Spreads the retries of several processes that start at once.
        await delay(jittered(wait, 0.5, Math.random()));
      }
    }
  }
}

function isReadable(reader: AvroType, writer: AvroType): boolean {
  try {
    reader.createResolver(writer);
    return true;
  } catch {
    return false;
  }
}

/** Returns the HTTP status of a failed request; null for any other error. */
function statusOf(error: unknown): number | null {
  return error instanceof RegistryHttpError ? error.status : null;
}

const CLIENT_ID = 'touchline';
/** The status that the library gives to a request without an answer. Ours are never refused as malformed. */
const UNANSWERED = 400;

const CHECKS_BACKWARD: ReadonlySet<string> = new Set([
  COMPATIBILITY.BACKWARD,
  COMPATIBILITY.BACKWARD_TRANSITIVE,
  COMPATIBILITY.FULL,
  COMPATIBILITY.FULL_TRANSITIVE,
]);

/** The one use of `@kafkajs/confluent-schema-registry`, with a timeout and credentials that rotate. Throws `RegistryHttpError`. */
class RegistryClient {
  readonly #address: RegistryAddress;
  readonly #library: SchemaRegistry;

  constructor(address: RegistryAddress) {
    const { url: host, user } = address;
    const agent = registryAgent(address);
    const authorized: NonNullable<ConstructorParameters<typeof SchemaRegistry>[0]['middlewares']>[number] =
      () => ({
        prepareRequest: async (next) =>
          (await next()).enhance({
            timeout: REQUEST_MS,
            // The library's own option would not follow a rotated password.
            headers: user === null ? {} : { authorization: authorizationOf(user) },
          }),
      });
    this.#address = address;
    this.#library = new SchemaRegistry(
      {
        host,
        clientId: CLIENT_ID,
        retry: { retries: 0 },
        middlewares: [authorized],
        ...(agent === undefined ? {} : { agent }),
      },
      { [SchemaType.AVRO]: { ...AVRO_OPTIONS } },
    );
  }

  async register(subject: string, record: AvroRecord, compatibility: COMPATIBILITY): Promise<number> {
    const schema = { type: SchemaType.AVRO, schema: JSON.stringify(record) } as const;
    return (await this.#answer(this.#library.register(schema, { subject, compatibility }))).id;
  }

  /** Returns the id of a schema of a subject; null if it is not registered there. */
  async idOf(subject: string, record: AvroRecord): Promise<number | null> {
    const post = { schema: JSON.stringify(record) };
    const path = `/subjects/${encodeURIComponent(subject)}`;
    const found = await requestJson(this.#address, path, { timeoutMs: REQUEST_MS, post });
    return typeof found?.id === 'number' ? found.id : null;
  }

  /** Returns the schema of an id. Status 404: it is unknown. */
  async find(id: number): Promise<AvroType> {
    return (await this.#answer(this.#library.getSchema(id))) as AvroType;
  }

  /** Returns the newest schema of a subject. Status 404: it has none. */
  async newest(subject: string): Promise<AvroType> {
    return this.find(Number(await this.#answer(this.#library.getLatestSchemaId(subject))));
  }

  /** Sets `BACKWARD` on a topic's subject before its first schema. Returns its rule. Throws `IncompatibleSchemaError` for a weaker one. */
  async requireBackward(topic: TopicName, subject: string): Promise<COMPATIBILITY> {
    const path = `/config/${encodeURIComponent(subject)}`;
    const request = { timeoutMs: REQUEST_MS };
    const level = (await requestJson(this.#address, path, request))?.compatibilityLevel;
    if (typeof level === 'string' && CHECKS_BACKWARD.has(level)) return level as COMPATIBILITY;
    if (level !== undefined && level !== COMPATIBILITY.NONE) {
      const reason = `it is checked as ${String(level)}, which does not include BACKWARD`;
      throw new IncompatibleSchemaError(topic, subject, reason);
    }
    const compatibility = COMPATIBILITY.BACKWARD;
    await requestJson(this.#address, path, { ...request, put: { compatibility } }).catch((error: unknown) => {
      // 409: another process sets the rule at the same time. No schema was rejected, so the request is retried.
      throw statusOf(error) === 409 ? new RegistryHttpError(UNAVAILABLE, reasonOf(error), error) : error;
    });
    return compatibility;
  }

  async #answer<T>(request: Promise<T>): Promise<T> {
    try {
      return await request;
    } catch (error) {
      if (!(error instanceof Error && 'status' in error && typeof error.status === 'number')) throw error;
      const { status, message } = error;
      // A request of our own says why none was answered.
      if (status === UNANSWERED) await requestJson(this.#address, PROBE_PATH, { timeoutMs: REQUEST_MS });
      const text = message.slice(`${CLIENT_ID} - `.length);
      throw new RegistryHttpError(status === UNANSWERED ? UNAVAILABLE : status, text, error);
    }
  }
}
