import type { Brokers } from '#security/brokers.ts';
import { hasCode } from '#streams/client/platformatic/errors.ts';
import {
  type Connection,
  FindCoordinatorKeyTypes,
  findCoordinatorV4,
  metadataV12,
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
const OPERATION_BITS = { Read: 1 << 3, Write: 1 << 4 } as const;
/** The value of a broker that does not report authorized operations. */
const UNKNOWN = -(2 ** 31);
const FORBIDDEN = [
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
];
const MISSING = ['UNKNOWN_TOPIC_OR_PARTITION'];

/** Returns the rights and topics that are missing; groups and transactional ids are only looked up. Rejects when no broker responds. */
export function findMissingRights<R extends NeededRight>(
  brokers: Brokers,
  needed: readonly R[],
): Promise<MissingRights<R>> {
  return withConnections(brokers, CLIENT_ID, async (connections) => {
    const rights: R[] = [];
    const missing = new Set<string>();
    for (const right of needed) {
      const result = await retryTransient(async () => checkRight(await connections.any(), right));
      if (result === 'forbidden') rights.push(right);
      if (result === 'missing') missing.add(right.name);
    }
    return { rights, topics: [...missing] };
  });
}

type RightCheck = 'allowed' | 'forbidden' | 'missing';

async function checkRight(connection: Connection, right: NeededRight): Promise<RightCheck> {
  try {
    if (right.resource === 'Topic') return await checkTopic(connection, right);
    const type =
      right.resource === 'Group' ? FindCoordinatorKeyTypes.GROUP : FindCoordinatorKeyTypes.TRANSACTION;
    await findCoordinatorV4.api.async(connection, type, [right.name]);
    return 'allowed';
  } catch (error) {
    if (hasCode(error, FORBIDDEN)) return 'forbidden';
    if (hasCode(error, MISSING)) return 'missing';
    throw error;
  }
}

async function checkTopic(connection: Connection, { name, operation }: NeededRight): Promise<RightCheck> {
  const { topics } = await metadataV12.api.async(connection, [name], false, true);
  const allowed = topics[0]?.topicAuthorizedOperations ?? UNKNOWN;
  return allowed === UNKNOWN || (allowed & OPERATION_BITS[operation]) !== 0 ? 'allowed' : 'forbidden';
}
