import type { Brokers } from '#security/brokers.ts';
import { listGroupsV4 } from '#streams/client/platformatic/library.ts';
import { StreamError } from '#streams/errors.ts';
import { requestEach } from './access.ts';

/** States of a group without members. */
const WITHOUT_MEMBERS: ReadonlySet<string> = new Set(['Empty', 'Dead']);

/**
 * Returns the names of the consumer groups that have members, on any broker of the cluster. Rejects with `StreamError`
 * UNAVAILABLE while a broker does not respond: it may coordinate more of them.
 */
export async function groupsWithMembers(brokers: Brokers): Promise<string[]> {
  const found = await requestEach(brokers, (broker) => listGroupsV4.api.async(broker, [], []));
  if (found === undefined) throw new StreamError('UNAVAILABLE', 'list groups: no broker responds');
  return [...found]
    .flatMap(([address, list]) => {
      if (list !== undefined) return list.groups;
      throw new StreamError('UNAVAILABLE', `list groups: ${address} does not respond`);
    })
    .filter(({ groupState }) => !WITHOUT_MEMBERS.has(groupState))
    .map(({ groupId }) => groupId);
}
