import type { Brokers } from '#security/brokers.ts';
import { FORBIDDEN_TOPIC, metadataOf, UNKNOWN_TOPIC } from '#streams/client/platformatic/connections.ts';
import { hasCode } from '#streams/client/platformatic/errors.ts';
import {
  type Connection,
  FindCoordinatorKeyTypes,
  findCoordinatorV4,
  type metadataV12,
} from '#streams/client/platformatic/library.ts';
import { retryTransient } from '#streams/client/platformatic/retries.ts';
import { withConnections } from './access.ts';

/** A right on the broker, by the names of Kafka. */
type NeededRight = {
  readonly operation: 'Read' | 'Write';
  readonly resource: 'Topic' | 'Group' | 'TransactionalId';
  readonly name: string;
};

/** Rights that are not granted, and topics that are missing. */
export type MissingRights<R> = { readonly rights: readonly R[]; readonly topics: readonly string[] };

const CLIENT_ID = 'touchline-rights';
/** Bits of a topic's authorized operations (KIP-430). */
export const OPERATION_BITS = { Read: 1 << 3, Write: 1 << 4 } as const;
/** The value of a broker that does not report authorized operations. */
const UNKNOWN = -(2 ** 31);
const FORBIDDEN = ['GROUP_AUTHORIZATION_FAILED', 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED'];

/** Returns the rights and topics that are missing; groups and transactional ids are only looked up. Rejects when no broker responds. */
export function findMissingRights<R extends NeededRight>(
  brokers: Brokers,
  needed: readonly R[],
): Promise<MissingRights<R>> {
  return withConnections(brokers, CLIENT_ID, async (connections) => {
    const names = new Set(needed.flatMap(({ resource, name }) => (resource === 'Topic' ? [name] : [])));
    const options = { withRights: true, accepts: [UNKNOWN_TOPIC, FORBIDDEN_TOPIC] };
    const { topics } = await retryTransient(async () =>
      metadataOf(await connections.any(), [...names], options),
    );
    const found = new Map(topics.map((topic) => [topic.name, topic]));
    const rights: R[] = [];
    for (const right of needed) {
      const topic = found.get(right.name);
      const isGranted =
        right.resource === 'Topic'
          ? topic !== undefined && isTopicGranted(topic, right)
          : await retryTransient(async () => isFound(await connections.any(), right));
      if (!isGranted) rights.push(right);
    }
    return { rights, topics: [...names].filter((name) => found.get(name)?.errorCode === UNKNOWN_TOPIC) };
  });
}

/** Whether a right to a topic is granted; a missing topic needs none. */
function isTopicGranted(
  { errorCode, topicAuthorizedOperations: allowed }: metadataV12.MetadataResponseTopic,
  { operation }: NeededRight,
): boolean {
  if (errorCode !== 0) return errorCode === UNKNOWN_TOPIC;
  return allowed === UNKNOWN || (allowed & OPERATION_BITS[operation]) !== 0;
}

/** Whether these credentials may look up the coordinator of a group or a transactional id. */
async function isFound(broker: Connection, { resource, name }: NeededRight): Promise<boolean> {
  const { GROUP, TRANSACTION } = FindCoordinatorKeyTypes;
  try {
    await findCoordinatorV4.api.async(broker, resource === 'Group' ? GROUP : TRANSACTION, [name]);
    return true;
  } catch (error) {
    if (hasCode(error, FORBIDDEN)) return false;
    throw error;
  }
}
