/**
 * The one use of `@kafkajs/confluent-schema-registry`: it registers schemas, finds them by id, and keeps them as Avro types. Added
 * is what it lacks: a timeout, credentials that rotate, and why a request has no answer.
 */
import { COMPATIBILITY, SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import { AVRO_OPTIONS, type AvroType } from './codec.ts';
import { type RegistryAddress, registryAgent } from './registry-address.ts';
import { authorizationOf, PROBE_PATH, RegistryHttpError, requestJson, UNAVAILABLE } from './registry-http.ts';
import type { AvroRecord } from './schemas.ts';

export { COMPATIBILITY };

/** The library's type of middleware, which is of its own dependency mappersmith. */
type Middleware = NonNullable<ConstructorParameters<typeof SchemaRegistry>[0]['middlewares']>[number];

const CLIENT_ID = 'touchline';
/** The status that the library gives to a request without an answer. Ours are never refused as malformed. */
const UNANSWERED = 400;

/** Schemas at a registry. Its methods throw `RegistryHttpError`, or the error of a schema that is not Avro; none retries. */
export class RegistryClient {
  readonly #address: RegistryAddress;
  readonly #timeoutMs: number;
  readonly #library: SchemaRegistry;

  constructor(address: RegistryAddress, timeoutMs: number) {
    const { url: host, user } = address;
    const agent = registryAgent(address);
    const authorized: Middleware = () => ({
      prepareRequest: async (next) =>
        (await next()).enhance({
          timeout: timeoutMs,
          // The library's own option would not follow a rotated password.
          headers: user === null ? {} : { authorization: authorizationOf(user) },
        }),
    });
    this.#address = address;
    this.#timeoutMs = timeoutMs;
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

  /** Registers a schema under a subject that has the rule `compatibility`. Returns its id. Status 409: the rule refuses it. */
  async register(subject: string, record: AvroRecord, compatibility: COMPATIBILITY): Promise<number> {
    const schema = { type: SchemaType.AVRO, schema: JSON.stringify(record) } as const;
    return (await this.#answer(this.#library.register(schema, { subject, compatibility }))).id;
  }

  /** Returns the id of a schema of a subject; null if it is not registered there. */
  async idOf(subject: string, record: AvroRecord): Promise<number | null> {
    const post = { schema: JSON.stringify(record) };
    const path = `/subjects/${encodeURIComponent(subject)}`;
    const found = await requestJson(this.#address, path, { timeoutMs: this.#timeoutMs, post });
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

  async #answer<T>(request: Promise<T>): Promise<T> {
    try {
      return await request;
    } catch (error) {
      if (!(error instanceof Error && 'status' in error && typeof error.status === 'number')) throw error;
      const { status, message } = error;
      // A request of our own says why none was answered.
      if (status === UNANSWERED) await requestJson(this.#address, PROBE_PATH, { timeoutMs: this.#timeoutMs });
      const text = message.slice(`${CLIENT_ID} - `.length);
      throw new RegistryHttpError(status === UNANSWERED ? UNAVAILABLE : status, text, error);
    }
  }
}
