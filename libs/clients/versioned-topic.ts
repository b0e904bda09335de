import { canonicalJson } from '#contract/canonical-json.ts';
import { TouchlineError } from '#errors/touchline-error.ts';
import type { Logger } from '#streams/log.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import type { TopicValues } from '#topics/generated/types.ts';
import { readValues, type TopicCluster } from '#topics/read-values.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';

/** Where the topics of clients are. */
export type DirectoryConnection = TopicCluster & { readonly log: Logger };

/** Another edit of the same record was always first. */
class EditConflictError extends TouchlineError<'EditConflictError'> {
  override readonly name = 'EditConflictError';

  constructor(message: string) {
    super('EDIT_CONFLICT', message);
  }
}

/** Topics whose records count their changes. */
export type VersionedName = 'clients' | 'access-tokens';

type Versioned = { readonly version: number };

/** A record as it is to become; `version` and `updated_at` are the topic's. */
export type RecordDraft<V> = Omit<V, 'version' | 'updated_at'>;

/**
 * Whether a record stands after those of its key before it in the log: of two edits of the same version the first one
 * does, and whoever made the other makes it again on top.
 */
export function supersedes<V extends Versioned>(record: V, known: V | undefined): boolean {
  return known === undefined || record.version > known.version;
}

const TRIES = 20;

/**
 * The records of a compacted topic that people edit. Anyone may edit at any time: an edit that another one came between
 * is done again on what that one has left.
 */
export class VersionedTopic<T extends VersionedName> {
  readonly #topic: T;
  readonly #place: DirectoryConnection;
  readonly #registry: Registry;

  /** Asks nothing of the broker yet. */
  constructor(topic: T, place: DirectoryConnection) {
    this.#topic = topic;
    this.#place = place;
    this.#registry = Registry.open({ url: place.registryUrl, prefix: place.prefix });
  }

  /** The record that stands of each key. Throws `StreamError`. */
  async list(): Promise<TopicValues[T][]> {
    return [...(await this.#read()).values()].flatMap((stood) => stood.at(-1) ?? []);
  }

  /**
   * Writes what `change` makes of the record of a key and gives it back once it is in the log. `change` is given undefined
   * where there is none, and may be called again. Throws what it throws, `EditConflictError`, `PublishError`.
   */
  async edit(
    id: string | number,
    change: (known: TopicValues[T] | undefined) => RecordDraft<TopicValues[T]>,
  ): Promise<TopicValues[T]> {
    const { brokers, prefix, log } = this.#place;
    const codec = await this.#registry.codec(this.#topic);
    const [topic, key] = [topicName(prefix, this.#topic), String(id)];
    return withPublisher({ brokers, clientId: `touchline-${this.#topic}`, log }, async (publisher) => {
      for (let tries = 0; tries < TRIES; tries++) {
        const base = (await this.#read()).get(key)?.at(-1);
        const draft = change(base);
        const stamps = { version: (base?.version ?? 0) + 1, updated_at: Date.now() };
        // A draft with its stamps is a record: the compiler does not know that of every topic at once.
        const record = { ...draft, ...stamps } as unknown as TopicValues[T];
        await publisher.publish([{ topic, key, value: codec.encode(record) }]);
        const stood = (await this.#read()).get(key) ?? [];
        if (stood.some((other) => canonicalJson(other) === canonicalJson(record))) return record;
      }
      throw new EditConflictError(`${this.#topic} ${key} is being changed by others, try again`);
    });
  }

  /** The records of each key that stood at their time, in the order of the log. */
  async #read(): Promise<Map<string, TopicValues[T][]>> {
    const { brokers, prefix } = this.#place;
    const log = new Map<string, TopicValues[T][]>();
    await readValues(this.#topic, { brokers, prefix, registry: this.#registry }, (key, record) => {
      const stood = log.get(key) ?? [];
      if (record === null) log.delete(key);
      else if (supersedes(record, stood.at(-1))) log.set(key, [...stood, record]);
    });
    return log;
  }
}
