import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '#errors/touchline-error.ts';
import type { TopicValues } from '#records/types.ts';
import { tlsFailure } from '#security/tls.ts';
import { jittered } from '#timing/backoff.ts';
import { type AvroType, avroType, type Codec, createCodec, createDecoder, type Decoder } from './codec.ts';
import { IncompatibleSchemaError, RegistryUnavailableError } from './errors.ts';
import { parseRegistryAddress, type RegistryAddress, type RegistryUrl } from './registry-address.ts';
import { RegistryClient } from './registry-client.ts';
import { RegistryHttpError, registryDenial } from './registry-http.ts';
import { requireBackward } from './registry-rule.ts';
import { type AvroRecord, loadSchemas } from './schemas.ts';
import { TOPIC_NAMES, type TopicName } from './topics.ts';

/** The connection to a registry. */
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

/**
 * How a topic's newest schema at the registry compares with that of this release. `unreadable`: this release cannot read
 * records of that schema.
 */
export type SchemaState = 'registered' | 'another version' | 'unreadable' | 'missing';

/** Timeout of one request. */
const REQUEST_MS = 5_000;
const FIRST_RETRY_MS = 50;
const RETRY_CEILING_MS = 1_000;
/** Total pause while an id is unknown: a restarted registry answers before it knows all ids. */
const UNKNOWN_MS = 5_000;

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

  private constructor({ url, prefix, waitMs = 60_000 }: RegistryOptions) {
    this.#address = parseRegistryAddress(url);
    this.#prefix = prefix;
    this.#waitMs = waitMs;
    this.#client = new RegistryClient(this.#address, REQUEST_MS);
  }

  /** Returns a registry. Sends no request. */
  static open(options: RegistryOptions): Registry {
    return new Registry(options);
  }

  /** Returns the subject of a topic's values. */
  subject(topic: TopicName): string {
    return `${this.#prefix}${topic}-value`;
  }

  /**
   * Registers the schema of every topic, one after the other: a registry that lost all schemas gives each the id that it had. Each is
   * checked against the previous one (BACKWARD). Throws `IncompatibleSchemaError`, `RegistryUnavailableError`.
   */
  async registerAll(): Promise<void> {
    const known = await Promise.all(TOPIC_NAMES.map((topic) => this.#findOwn(topic)));
    for (const [at, topic] of TOPIC_NAMES.entries()) if (known[at] === null) await this.#register(topic);
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

  #checkRule(topic: TopicName) {
    const of = { topic, subject: this.subject(topic) };
    return this.#whenAnswered(() => requireBackward(this.#address, of, REQUEST_MS));
  }

  /** Returns the schema of an id; null if it stays unknown to the registry. */
  async #findWriter(id: number): Promise<AvroType | null> {
    const unknownMs = this.#unknown.has(id) ? 0 : UNKNOWN_MS;
    try {
      return await this.#whenAnswered(() => this.#client.find(id), unknownMs);
    } catch (error) {
      if (statusOf(error) !== 404) throw this.#unavailable(error);
      this.#unknown.add(id);
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

  /**
   * Retries a request while the registry is down or starting. While the registry answers that an id or subject is unknown,
   * retries until the pauses add up to `unknownMs`; time without an answer does not count.
   */
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
