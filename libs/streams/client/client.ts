import type { Brokers } from '#security/brokers.ts';
import type { Logger } from '../log.ts';
import { BrokerConnections, SharedMetadata } from './platformatic/connections.ts';
import { hasCode } from './platformatic/errors.ts';
import { ProtocolGroupMember } from './platformatic/group/group-member.ts';
import { epochEnd, logBounds } from './platformatic/offsets.ts';
import { ProtocolPartitionReader } from './platformatic/partition-reader.ts';
import { untilAnswered } from './platformatic/retries.ts';
import { openTransactionalProducer } from './platformatic/transactional-producer.ts';
import type { StreamClient } from './port.ts';

/** Options of a client. */
export type ClientOptions = {
  readonly brokers: Brokers;
  readonly clientId: string;
  readonly log: Logger;
};

const UNKNOWN_TOPIC_MS = 2_000;

/** The Kafka client of the runtime, by the requests of @platformatic/kafka (docs/decisions/0114, 0116). */
export function openStreamClient({ brokers, clientId, log }: ClientOptions): StreamClient {
  /** Everything opened here and not closed yet. */
  const all = new Set<BrokerConnections>();
  const metadata = new SharedMetadata();
  const open = (): BrokerConnections => {
    const opened = new BrokerConnections(brokers, clientId, { metadata, onClose: () => all.delete(opened) });
    all.add(opened);
    return opened;
  };
  /** For occasional requests. */
  const connections = open();
  return {
    openProducer: (options) => openTransactionalProducer(open(), options),
    openReader: (options) => new ProtocolPartitionReader(open(), options),
    openGroupMember: (options) => new ProtocolGroupMember(open(), options, log),
    logBounds: (of) => logBounds(connections, of),
    epochEnd: (of, epoch) => epochEnd(connections, of, epoch),
    partitionCount: (topic) => countPartitions(connections, topic),
    async close() {
      await Promise.all([...all].map((opened) => opened.close()));
    },
  };
}

/** 0 where the topic is missing. Not every broker may know a topic that was created a moment ago. */
function countPartitions(connections: BrokerConnections, topic: string): Promise<number> {
  const deadline = performance.now() + UNKNOWN_TOPIC_MS;
  return untilAnswered(connections, `look at ${topic}`, async () => {
    connections.forget();
    try {
      return await connections.partitionCount(topic);
    } catch (error) {
      const isMissing = hasCode(error, ['UNKNOWN_TOPIC_OR_PARTITION']) && performance.now() > deadline;
      if (isMissing) return 0;
      throw error;
    }
  });
}
