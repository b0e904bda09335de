import { PoisonError } from '#errors/touchline-error.ts';
import type { ConsumedRecord, PartitionReader } from '#streams/client/port.ts';
import type { PartitionProcessor, RecordCollector } from '#streams/runtime/processor.ts';
import { decodeInput, fetchSchemas, identifyByCause, restoreInto } from '#topics/codec.ts';
import type { MatchTransition, NormalizedMessage } from '#topics/generated/types.ts';
import type { CodecsOf } from '#topics/registry.ts';
import { type NameTopic, TOPICS } from '#topics/topics.ts';
import type { MessageFields } from '#tracing/message-fields.ts';
import { CauseReader } from './cause-reader.ts';
import { compose } from './compose.ts';

/** The topics that the composer decodes or encodes. */
export const COMPOSER_TOPICS = [
  'match-transitions',
  'normalized-messages',
  'webhook-messages',
  'webhook-times',
] as const;

export type ComposerCodecs = CodecsOf<(typeof COMPOSER_TOPICS)[number]>;

type ComposerPartitionOptions = {
  readonly codecs: ComposerCodecs;
  /** Name of a topic on the broker. */
  readonly topicName: NameTopic;
  /** Reads the same partition of normalized-messages; closed with this partition. */
  readonly causes: PartitionReader;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const RETENTION_MS = TOPICS['webhook-messages'].retentionMs;

/** Composes the webhook messages of the transitions of one partition. */
export class ComposerPartition implements PartitionProcessor {
  readonly isKept = true;
  readonly #options: ComposerPartitionOptions;
  readonly #causes: CauseReader;
  readonly #messagesTopic: string;
  readonly #timesTopic: string;
  /** Raised `ut` of incidents (`raised` of `compose`), by key. */
  readonly #raised = new Map<string, number>();
  /** The last decoded cause: one list of incidents may cause many transitions. */
  #cause: { readonly offset: number; readonly message: NormalizedMessage } | null = null;

  constructor(options: ComposerPartitionOptions) {
    this.#options = options;
    this.#causes = new CauseReader(options.causes);
    this.#messagesTopic = options.topicName('webhook-messages');
    this.#timesTopic = options.topicName('webhook-times');
  }

  restore(_topic: string, records: readonly ConsumedRecord[]): Promise<void> {
    return restoreInto(this.#raised, this.#options.codecs['webhook-times'], records, ({ ut }) => ut);
  }

  prepare(records: readonly ConsumedRecord[]): Promise<void> {
    return fetchSchemas(this.#options.codecs['match-transitions'], records);
  }

  async process(record: ConsumedRecord, collector: RecordCollector): Promise<void> {
    const { codecs, now } = this.#options;
    const transition = decodeInput(codecs['match-transitions'], record.value);
    if (!makesMessages(transition)) return;
    // After a rebuild, or at the first start, the input has a year of expired messages.
    if (transition.cause.received_at < now() - RETENTION_MS) return;
    const cause = await this.#causeOf(transition);
    const { event_id, incident_id } = transition;
    const key = `${event_id}/${incident_id}`;
    const { messages, raised } = compose(transition, cause, this.#raised.get(key) ?? null);
    for (const message of messages) {
      collector.add(this.#messagesTopic, String(event_id), codecs['webhook-messages'].encode(message));
    }
    if (raised !== undefined && incident_id !== null)
      this.#setRaised(key, event_id, incident_id, raised, collector);
  }

  identify({ value }: ConsumedRecord): MessageFields {
    return identifyByCause(this.#options.codecs['match-transitions'], value);
  }

  /** Number of incidents with a raised time. */
  size(): number {
    return this.#raised.size;
  }

  close(): void {
    this.#raised.clear();
    void this.#causes.close();
  }

  async #causeOf({ id, cause }: MatchTransition): Promise<NormalizedMessage> {
    if (this.#cause?.offset === cause.offset) return this.#cause.message;
    const record = await this.#causes.at(cause.offset);
    if (record === null) {
      throw new PoisonError(
        'CAUSE_MISSING',
        `the cause of transition ${id} is missing: ${cause.topic}/${cause.partition}/${cause.offset}`,
      );
    }
    const codec = this.#options.codecs['normalized-messages'];
    await fetchSchemas(codec, [record]);
    const message = decodeInput(codec, record.value);
    this.#cause = { offset: cause.offset, message };
    return message;
  }

  #setRaised(
    key: string,
    event_id: number,
    id: string,
    raised: number | null,
    collector: RecordCollector,
  ): void {
    if (raised === null) {
      if (this.#raised.delete(key)) collector.add(this.#timesTopic, key, null);
      return;
    }
    this.#raised.set(key, raised);
    const value = this.#options.codecs['webhook-times'].encode({ event_id, id, ut: raised });
    collector.add(this.#timesTopic, key, value);
  }
}

/** Whether a transition may have messages: those of the first one of a version cover its other changes. */
function makesMessages({ n, incident_presence }: MatchTransition): boolean {
  return n === 0 || incident_presence !== null;
}
