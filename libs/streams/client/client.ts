import type { Logger } from '../log.ts';
import type { Brokers } from './brokers.ts';
import { Connections } from './platformatic/connections.ts';
import { hasCode } from './platformatic/errors.ts';
import { ProtocolGroupMember } from './platformatic/group/group-member.ts';
import { epochEnd, logBounds } from './platformatic/offsets.ts';
import { openPartitionReader } from './platformatic/partition-reader.ts';
import { untilAnswered } from './platformatic/retries.ts';
import { SharedMetadata } from './platformatic/topic-metadata.ts';
import { openTransactionalProducer } from './platformatic/transactional-producer.ts';
import type {
  EpochEnd,
  GroupMember,
  GroupOptions,
  LogBounds,
  PartitionReader,
  ProducerOptions,
  ReaderOptions,
  StreamClient,
  TopicPartition,
  TransactionalProducer,
} from './port.ts';

/** Options of a client. */
export type ClientOptions = {
  readonly brokers: Brokers;
  readonly clientId: string;
  readonly log: Logger;
};

/** The Kafka client of the runtime, by the requests of @platformatic/kafka (docs/decisions/0005, 0114). */
export function openStreamClient(options: ClientOptions): StreamClient {
  return new ProtocolClient(options);
}

const UNKNOWN_TOPIC_MS = 2_000;

class ProtocolClient implements StreamClient {
  readonly #options: ClientOptions;
  /** Everything opened here and not closed yet. */
  readonly #all = new Set<Connections>();
  readonly #metadata = new SharedMetadata();
  /** Connections for occasional requests. */
  readonly #connections: Connections;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#connections = this.#openConnections();
  }

  openProducer(options: ProducerOptions): Promise<TransactionalProducer> {
    return openTransactionalProducer(this.#openConnections(), options);
  }

  openReader(options: ReaderOptions): PartitionReader {
    return openPartitionReader(this.#openConnections(), options);
  }

  openGroupMember(options: GroupOptions): GroupMember {
    return new ProtocolGroupMember(this.#openConnections(), options, this.#options.log);
  }

  logBounds(of: readonly TopicPartition[]): Promise<LogBounds[]> {
    return logBounds(this.#connections, of);
  }

  epochEnd(of: TopicPartition, epoch: number): Promise<EpochEnd | null> {
    return epochEnd(this.#connections, of, epoch);
  }

  partitionCount(topic: string): Promise<number> {
    // Not every broker may know a topic that was created a moment ago.
    const deadline = performance.now() + UNKNOWN_TOPIC_MS;
    return untilAnswered(this.#connections, `look at ${topic}`, async () => {
      this.#connections.forget();
      try {
        return await this.#connections.partitionCount(topic);
      } catch (error) {
        const isMissing = hasCode(error, ['UNKNOWN_TOPIC_OR_PARTITION']) && performance.now() > deadline;
        if (isMissing) return 0;
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((connections) => connections.close()));
  }

  #openConnections(): Connections {
    const { brokers, clientId } = this.#options;
    const metadata = this.#metadata;
    const onClose = () => this.#all.delete(opened);
    const opened = new Connections(brokers, clientId, { metadata, onClose });
    this.#all.add(opened);
    return opened;
  }
}
