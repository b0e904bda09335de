import { type Brokers, brokersAt } from '#security/brokers.ts';
import { metadataOf } from '#streams/client/platformatic/connections.ts';
import { listGroupsV4 } from '#streams/client/platformatic/library.ts';
import { StreamError } from '#streams/errors.ts';
import { requestAny } from './access.ts';

/** States of a group without members. */
const WITHOUT_MEMBERS: ReadonlySet<string> = new Set(['Empty', 'Dead']);

/**
 * Returns the names of the consumer groups that have members, on any broker of the cluster. Rejects with `StreamError`
 * UNAVAILABLE while a broker does not respond: it may coordinate more of them.
 */
export async function groupsWithMembers(brokers: Brokers): Promise<string[]> {
  const cluster = await requestAny(brokers, (broker) => metadataOf(broker, []));
  if (cluster === undefined) throw new StreamError('UNAVAILABLE', 'list groups: no broker responds');
  const groups = await Promise.all(
    cluster.brokers.map(async ({ host, port }) => {
      const address = `${host}:${port}`;
      const list = await requestAny(brokersAt(brokers, [address]), (broker) =>
        listGroupsV4.api.async(broker, [], []),
      );
      if (list === undefined)
        throw new StreamError('UNAVAILABLE', `list groups: ${address} does not respond`);
      return list.groups;
    }),
  );
  return groups
    .flat()
    .filter(({ groupState }) => !WITHOUT_MEMBERS.has(groupState))
    .map(({ groupId }) => groupId);
}
