import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '#errors/touchline-error.ts';
import type { TopicValues } from '#records/types.ts';
import { tlsFailure } from '#security/tls.ts';
import { PromiseCache } from '#timing/promise-cache.ts';
import { jittered } from '#timing/retry.ts';
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
  parseRegistryAddress,
  type RegistryAddress,
  RegistryHttpError,
  type RegistryUrl,
  type RequestBody,
  registryDenial,
  requestJson,
} from './registry-http.ts';
import { TOPIC_NAMES, type TopicName } from './topics.ts';

type RegistryOptions = {
  /** Address of its Confluent API, e.g. `http://localhost:8081/apis/ccompat/v7`. */
  readonly url: RegistryUrl;
  /** Topic prefix: subjects are `<prefix><topic>-value`. */
  readonly prefix: string;
  /** Maximum time for retries while the registry is down or starting, milliseconds. Default: 60,000. */
  readonly waitMs?: number | undefined;
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

/** Rules that check that a new schema reads records of the last one. */
const CHECKS_BACKWARD: ReadonlySet<string> = new Set([
  'BACKWARD',
  'BACKWARD_TRANSITIVE',
  'FULL',
  'FULL_TRANSITIVE',
]);

/** The schemas of all topics at a registry. Every request is retried while the registry starts. */
export class Registry {
  readonly #address: RegistryAddress;
  readonly #prefix: string;
  readonly #waitMs: number;
  readonly #schemas = loadSchemas().topics;
  readonly #registered = new PromiseCache<number>();
  /** Writers' schemas, by id: a schema never gets another one. */
  readonly #writers = new Map<number, AvroRecord>();
  /** Ids that stayed unknown for `UNKNOWN_MS`. */
  readonly #unknown = new Set<number>();
  #waitedAt = Number.NEGATIVE_INFINITY;

  /** Sends no request. */
  constructor({ url, prefix, waitMs = 60_000 }: RegistryOptions) {
    this.#address = parseRegistryAddress(url);
    this.#prefix = prefix;
    this.#waitMs = waitMs;
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
      const found = await this.#ask(`${this.#subjectPath(topic)}/versions/latest`);
      if (found === null) return 'missing';
      const newest = avroType(writerIn(found));
      if (own.equals(newest)) return 'registered';
      return isReadable(own, newest) ? 'another version' : 'unreadable';
    } catch (error) {
      throw this.#unavailable(error);
    }
  }

  #schema(topic: TopicName): AvroRecord {
    const schema = this.#schemas.get(topic);
    if (schema === undefined) throw new Error(`schemas/${topic}.avsc is missing`);
    return schema;
  }

  #subjectPath(topic: TopicName): string {
    return `/subjects/${encodeURIComponent(this.subject(topic))}`;
  }

  /** Registers a schema unless it is registered: credentials that may only read suffice then. Returns its id. */
  #register(topic: TopicName): Promise<number> {
    return this.#registered.get(topic, async () => {
      const known = await this.#findOwn(topic);
      if (known !== null) return known;
      try {
        await this.#requireRule(topic);
        const post = { schema: JSON.stringify(this.#schema(topic)) };
        const answer = await this.#ask(`${this.#subjectPath(topic)}/versions`, { post });
        if (answer === null) throw new RegistryHttpError(404, 'it has no subjects');
        return Number(answer.id);
      } catch (error) {
        throw this.#refusalOf(topic, error);
      }
    });
  }

  /** Returns the id of a topic's schema; null if it is not registered. Requires the rule, unless it may not be read or set. */
  async #findOwn(topic: TopicName): Promise<number | null> {
    try {
      const post = { schema: JSON.stringify(this.#schema(topic)) };
      const found = await this.#ask(this.#subjectPath(topic), { post });
      if (typeof found?.id !== 'number') return null;
      await this.#requireRule(topic).catch((error: unknown) => {
        if (!FORBIDDEN.has(statusOf(error) ?? 0)) throw error;
      });
      return found.id;
    } catch (error) {
      throw this.#refusalOf(topic, error);
    }
  }

  /** Sets `BACKWARD` on a topic's subject that no rule checks, before its first schema. Throws `IncompatibleSchemaError` for a weaker rule. */
  async #requireRule(topic: TopicName): Promise<void> {
    const path = `/config/${encodeURIComponent(this.subject(topic))}`;
    // Some registries know of a subject without schemas not even the rule for all.
    const rule = (await this.#ask(`${path}?defaultToGlobal=true`)) ?? (await this.#ask('/config'));
    const level = rule?.compatibilityLevel;
    if (level === undefined || level === 'NONE')
      await this.#ask(path, { put: { compatibility: 'BACKWARD' } });
    else if (!CHECKS_BACKWARD.has(String(level))) {
      const reason = `it is checked as ${String(level)}, which does not include BACKWARD`;
      throw new IncompatibleSchemaError(topic, this.subject(topic), reason);
    }
  }

  #refusalOf(topic: TopicName, error: unknown): Error {
    if (error instanceof IncompatibleSchemaError) return error;
    if (statusOf(error) !== 409) return this.#unavailable(error);
    return new IncompatibleSchemaError(topic, this.subject(topic), reasonOf(error), error);
  }

  /** Returns the schema of an id; null if it stays unknown to the registry. */
  async #findWriter(id: number): Promise<AvroRecord | null> {
    const known = this.#writers.get(id);
    if (known !== undefined) return known;
    const wasWaited = this.#unknown.has(id) || performance.now() - this.#waitedAt < UNKNOWN_ALIKE_MS;
    try {
      const found = await this.#ask(`/schemas/ids/${id}`, {}, wasWaited ? 0 : UNKNOWN_MS);
      if (found !== null) {
        const writer = writerIn(found);
        this.#writers.set(id, writer);
        return writer;
      }
    } catch (error) {
      throw this.#unavailable(error);
    }
    this.#unknown.add(id);
    if (!wasWaited) this.#waitedAt = performance.now();
    return null;
  }

  #unavailable(error: unknown): RegistryUnavailableError {
    if (error instanceof RegistryUnavailableError) return error;
    const denied = registryDenial(this.#address, error);
    return (
      denied ??
      new RegistryUnavailableError('REGISTRY_UNAVAILABLE', this.#address.url, reasonOf(error), error)
    );
  }

  /** Sends a request; again while the registry is down, and for `unknownMs` of pauses while it answers 404. Null for a last 404. */
  async #ask(path: string, body: RequestBody = {}, unknownMs = 0): ReturnType<typeof requestJson> {
    const deadline = performance.now() + this.#waitMs;
    let unknownLeft = unknownMs;
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(2 * wait, RETRY_CEILING_MS)) {
      const startedAt = performance.now();
      try {
        const found = await requestJson(this.#address, path, { timeoutMs: REQUEST_MS, ...body });
        unknownLeft -= wait;
        if (found !== null || unknownLeft < 0) return found;
      } catch (error) {
        const status = statusOf(error) ?? 0;
        // 409 to a rule: another process sets it at the same time.
        const isDown = status >= 500 || status === 429 || (status === 409 && body.put !== undefined);
        if (!isDown || tlsFailure(error) !== undefined || startedAt + wait > deadline) throw error;
      }
      // Spreads the retries of several processes that start at once.
      await delay(jittered(wait, 0.5, Math.random()));
    }
  }
}

/** Returns the schema in an answer. Throws `SyntaxError` for one that is no JSON. */
function writerIn({ schema }: Record<string, unknown>): AvroRecord {
  return JSON.parse(String(schema));
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
