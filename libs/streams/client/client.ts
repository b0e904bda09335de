import type { Brokers } from '#security/brokers.ts';
import { type Logger, silentLogger } from '../log.ts';
import { BrokerConnections, sharedMetadata } from './platformatic/connections.ts';
import { hasCode } from './platformatic/errors.ts';
import { ProtocolGroupMember } from './platformatic/group/group-member.ts';
import { epochEnd, logBounds, topicIds } from './platformatic/offsets.ts';
import { ProtocolPartitionReader } from './platformatic/partition-reader.ts';
import { untilAnswered } from './platformatic/retries.ts';
import { openTransactionalProducer } from './platformatic/transactional-producer.ts';
import type { StreamClient } from './port.ts';

/** How long an unknown topic is looked up again: a broker may not know a topic that was just created. */
const UNKNOWN_TOPIC_MS = 2_000;

/** Opens the runtime's Kafka client, built on the requests of @platformatic/kafka (docs/decisions/0114, 0116). `log`: for group members. */
export function openStreamClient({
  brokers,
  clientId,
  log = silentLogger,
}: {
  readonly brokers: Brokers;
  readonly clientId: string;
  readonly log?: Logger;
}): StreamClient {
  const all = new Set<BrokerConnections>();
  const metadata = sharedMetadata();
  const open = (): BrokerConnections => {
    const opened = new BrokerConnections(brokers, clientId, metadata, () => all.delete(opened));
    all.add(opened);
    return opened;
  };
  /** Connections for occasional requests. */
  const connections = open();
  return {
    openProducer: (options) => openTransactionalProducer(open(), options),
    openReader: (options) => new ProtocolPartitionReader(open(), options),
    openGroupMember: (options) => new ProtocolGroupMember(open(), options, log),
    logBounds: (of) => logBounds(connections, of),
    epochEnd: (of, epoch) => epochEnd(connections, of, epoch),
    topicIds: (topics) => topicIds(connections, topics),
    partitionCount: (topic) => countPartitions(connections, topic),
    async close() {
      await Promise.all([...all].map((opened) => opened.close()));
    },
  };
}

/** Returns the number of partitions; 0 when the topic is still missing after `UNKNOWN_TOPIC_MS`. */
function countPartitions(connections: BrokerConnections, topic: string): Promise<number> {
  const deadline = performance.now() + UNKNOWN_TOPIC_MS;
  return untilAnswered(connections, `look at ${topic}`, async () => {
    connections.forget();
    try {
      return (await connections.topic(topic)).leaders.length;
    } catch (error) {
      const isMissing = hasCode(error, ['UNKNOWN_TOPIC_OR_PARTITION']) && performance.now() > deadline;
      if (isMissing) return 0;
      throw error;
    }
  });
}
