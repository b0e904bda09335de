import type { Socket } from 'node:net';
import type { Kafka } from 'kafkajs';
import { KafkaJsGroupMember } from './kafkajs/group-member.ts';
import { createKafka, type KafkaOptions } from './kafkajs/kafka.ts';
import { Connections } from './platformatic/connections.ts';
import { hasCode } from './platformatic/errors.ts';
import { epochEnd, logBounds, untilAnswered } from './platformatic/offsets.ts';
import { openPartitionReader } from './platformatic/partition-reader.ts';
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

/**
 * The Kafka client of the runtime: kafkajs for group membership, @platformatic/kafka for all reads and writes
 * (docs/decisions/0005).
 */
export function openStreamClient(options: KafkaOptions): StreamClient {
  return new ComposedClient(options);
}

const UNKNOWN_TOPIC_MS = 2_000;

class ComposedClient implements StreamClient {
  readonly #options: KafkaOptions;
  readonly #kafka: Kafka;
  /** Connections of group members. */
  readonly #sockets = new Set<Socket>();
  #closed = false;
  /** Everything opened here and not closed yet. */
  readonly #all = new Set<Connections>();
  readonly #metadata = new SharedMetadata();
  /** Connections for occasional requests. */
  readonly #connections: Connections;

  constructor(options: KafkaOptions) {
    this.#options = options;
    this.#kafka = createKafka({ ...options, onSocket: (socket) => this.#keep(socket) });
    this.#connections = this.#openConnections();
  }

  openProducer(options: ProducerOptions): Promise<TransactionalProducer> {
    return openTransactionalProducer(this.#openConnections(), options);
  }

  openReader(options: ReaderOptions): PartitionReader {
    return openPartitionReader(this.#openConnections(), options);
  }

  openGroupMember(options: GroupOptions): GroupMember {
    return new KafkaJsGroupMember(this.#kafka, options, this.#options.log);
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
    this.#closed = true;
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([...this.#all].map((connections) => connections.close()));
  }

  #keep(socket: Socket): void {
    if (this.#closed) socket.destroy();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
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
