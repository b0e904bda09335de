import { setTimeout as delay } from 'node:timers/promises';
import { tlsFailure } from '#security/tls.ts';
import { Answers } from '#timing/answers.ts';
import { backoffMs, jittered } from '#timing/backoff.ts';
import { type AvroType, avroType, type Codec, createCodec, createDecoder, type Decoder } from './codec.ts';
import { IncompatibleSchemaError, RegistryUnavailableError } from './errors.ts';
import type { TopicValues } from './generated/types.ts';
import { parseRegistryAddress, type RegistryAddress, type RegistryUrl } from './registry-address.ts';
import { askRegistry, RegistryHttpError, type RegistryJson, registryDenial } from './registry-http.ts';
import { type AvroRecord, loadSchemas } from './schemas.ts';
import { TOPIC_NAMES, type TopicName } from './topics.ts';

/** The connection to a registry. */
export type RegistryOptions = {
  /** Its Confluent API, e.g. `http://localhost:8081/apis/ccompat/v7`. */
  readonly url: RegistryUrl;
  /** Topic prefix: subjects are `<prefix><topic>-value`. */
  readonly prefix: string;
  /** How long to retry while a registry is down or starting, milliseconds. Default 60,000. */
  readonly waitMs?: number;
};

/** The codecs of topics, by topic. */
export type CodecsOf<T extends TopicName> = { readonly [K in T]: Codec<TopicValues[K]> };

/** A topic's schema at the registry, beside that of this release; `unreadable`: this release cannot read what is written with it. */
export type SchemaState = 'registered' | 'another version' | 'unreadable' | 'missing';

/** Rules that include BACKWARD. */
const CHECKS_BACKWARD: ReadonlySet<unknown> = new Set([
  'BACKWARD',
  'BACKWARD_TRANSITIVE',
  'FULL',
  'FULL_TRANSITIVE',
]);
const RETRY = { firstMs: 50, ceilingMs: 1_000 };
/** How long to retry an unknown id: a restarted registry answers before it knows all ids. */
const UNKNOWN_MS = 5_000;

/** The schemas of all topics at a registry. Every method waits for a starting registry. */
export class Registry {
  readonly #address: RegistryAddress;
  readonly #prefix: string;
  readonly #waitMs: number;
  readonly #schemas = loadSchemas().topics;
  readonly #registered = new Answers<number>();
  /** The schemas that others wrote with, by id. */
  readonly #writers = new Answers<AvroType | null>();
  /** Ids that stayed unknown for that long. */
  readonly #unknown = new Set<number>();

  private constructor({ url, prefix, waitMs = 60_000 }: RegistryOptions) {
    this.#address = parseRegistryAddress(url);
    this.#prefix = prefix;
    this.#waitMs = waitMs;
  }

  /** Sends no request yet. */
  static open(options: RegistryOptions): Registry {
    return new Registry(options);
  }

  /** The subject of a topic's values. */
  subject(topic: TopicName): string {
    return `${this.#prefix}${topic}-value`;
  }

  /**
   * Registers the schema of every topic, each checked against the previous one (BACKWARD).
   * Throws `IncompatibleSchemaError`, `RegistryUnavailableError`.
   */
  async registerAll(): Promise<void> {
    await Promise.all(TOPIC_NAMES.map((topic) => this.#register(topic)));
  }

  /** Encodes and decodes the values of a topic; registers its schema. Throws as `registerAll`. */
  async codec<T extends TopicName>(topic: T): Promise<Codec<TopicValues[T]>> {
    const id = await this.#register(topic);
    return createCodec(topic, avroType(this.#schema(topic)), id, (writer) => this.#findWriter(writer));
  }

  /** The codecs of several topics. Throws as `codec`. */
  async codecs<const T extends TopicName>(topics: readonly T[]): Promise<CodecsOf<T>> {
    const codecs = await Promise.all(topics.map(async (topic) => [topic, await this.codec(topic)] as const));
    return Object.fromEntries(codecs) as CodecsOf<T>;
  }

  /** Decodes the values of a topic, and changes nothing at the registry. */
  decoder<T extends TopicName>(topic: T): Decoder<TopicValues[T]> {
    return createDecoder(topic, avroType(this.#schema(topic)), (writer) => this.#findWriter(writer));
  }

  /** How the newest schema of a topic at the registry compares with that of this release. Changes nothing. Throws `RegistryUnavailableError`. */
  async schemaState(topic: TopicName): Promise<SchemaState> {
    const own = avroType(this.#schema(topic));
    const newest = await this.#lookUp(`${this.#pathOf(topic)}/latest`);
    if (newest === null) return 'missing';
    const theirs = avroTypeIn(newest);
    if (theirs !== null && own.equals(theirs)) return 'registered';
    return theirs !== null && isReadable(own, theirs) ? 'another version' : 'unreadable';
  }

  #schema(topic: TopicName): AvroRecord {
    const schema = this.#schemas.get(topic);
    if (schema === undefined) throw new Error(`schemas/${topic}.avsc is missing`);
    return schema;
  }

  #register(topic: TopicName): Promise<number> {
    return this.#registered.of(topic, () => this.#registerNow(topic));
  }

  async #registerNow(topic: TopicName): Promise<number> {
    const subject = this.subject(topic);
    const body = { schema: JSON.stringify(this.#schema(topic)) };
    try {
      const answer = await this.#whenAnswered(async () => {
        await this.#requireBackward(topic);
        return askRegistry(this.#address, this.#pathOf(topic), { method: 'POST', body });
      });
      if (answer === null) throw new RegistryHttpError(404, 'status 404: it registers no schemas');
      return Number(answer.id);
    } catch (error) {
      if (error instanceof RegistryHttpError && error.status === 409)
        throw new IncompatibleSchemaError(topic, subject, error.message, error);
      throw this.#unavailable(error);
    }
  }

  /**
   * Makes the subject backward compatible before any schema is registered: sets `BACKWARD` where it has no rule, and keeps a
   * stricter one. Throws `IncompatibleSchemaError` for a weaker one.
   */
  async #requireBackward(topic: TopicName): Promise<void> {
    const subject = this.subject(topic);
    const path = `/config/${encodeURIComponent(subject)}`;
    const level = (await askRegistry(this.#address, path))?.compatibilityLevel ?? 'NONE';
    if (CHECKS_BACKWARD.has(level)) return;
    if (level !== 'NONE') {
      const reason = `it is checked as ${String(level)}, which does not include BACKWARD`;
      throw new IncompatibleSchemaError(topic, subject, reason);
    }
    const change = { method: 'PUT', body: { compatibility: 'BACKWARD' } } as const;
    await askRegistry(this.#address, path, change).catch((error: unknown) => {
      // Another process sets the rule at the same time: retry, since no schema was rejected.
      throw error instanceof RegistryHttpError && error.status === 409
        ? new RegistryHttpError(503, error.message, error)
        : error;
    });
  }

  /** The schema that others wrote with; null where the registry has no Avro schema of this id. Asks once for all who ask. */
  #findWriter(id: number): Promise<AvroType | null> {
    return this.#writers.of(String(id), async () => {
      const answer = await this.#lookUp(`/schemas/ids/${id}`, this.#unknown.has(id) ? 0 : UNKNOWN_MS);
      if (answer !== null) return avroTypeIn(answer);
      this.#unknown.add(id);
      this.#writers.forget(String(id));
      return null;
    });
  }

  #pathOf(topic: TopicName): string {
    return `/subjects/${encodeURIComponent(this.subject(topic))}/versions`;
  }

  /** Null for 404. Throws `RegistryUnavailableError`. */
  async #lookUp(path: string, unknownMs = 0): Promise<RegistryJson | null> {
    try {
      return await this.#whenAnswered(() => askRegistry(this.#address, path), unknownMs);
    } catch (error) {
      throw this.#unavailable(error);
    }
  }

  #unavailable(error: unknown): Error {
    if (error instanceof IncompatibleSchemaError) return error;
    const reason = error instanceof Error ? error.message : String(error);
    return (
      registryDenial(this.#address, error) ??
      new RegistryUnavailableError('REGISTRY_UNAVAILABLE', this.#address.url, reason, error)
    );
  }

  /**
   * Retries while the registry is down or starting. While it answers 404, pauses for `unknownMs` in total: neither earlier
   * absence nor a late answer counts.
   */
  async #whenAnswered(ask: () => Promise<RegistryJson | null>, unknownMs = 0): Promise<RegistryJson | null> {
    const deadline = performance.now() + this.#waitMs;
    let unknownLeft = unknownMs;
    for (let failures = 1; ; failures += 1) {
      const wait = backoffMs(RETRY, failures);
      const asked = performance.now();
      try {
        const answer = await ask();
        unknownLeft -= wait;
        if (answer !== null || unknownLeft < 0) return answer;
      } catch (error) {
        if (!passes(error) || asked + wait > deadline) throw error;
      }
      // Several processes start at once: spread their retries.
      await delay(jittered(wait, 0.5, Math.random()));
    }
  }
}

/** Whether the registry may answer another time. */
function passes(error: unknown): boolean {
  const status = error instanceof RegistryHttpError ? error.status : 0;
  return (status >= 500 || status === 429) && tlsFailure(error) === undefined;
}

/** The type in the answer for a schema; null where it is of another kind than ours, or damaged. */
function avroTypeIn({ schema }: RegistryJson): AvroType | null {
  try {
    return avroType(JSON.parse(String(schema)));
  } catch {
    return null;
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
