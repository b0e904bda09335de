/** Requests of group members, exported by library.ts. */
import type { GroupJoin, Share, Synced } from '../broker/group-messages.ts';
import { api, deferred } from './request.ts';

/** Equals FindCoordinatorKeyTypes.GROUP. */
const GROUP = 0;

export const joinGroupV9 = deferred<
  [
    group: string,
    sessionMs: number,
    rebalanceMs: number,
    memberId: string,
    instanceId: string | null,
    type: string,
    protocols: readonly { readonly metadata: unknown }[],
  ],
  GroupJoin
>(
  'JoinGroup',
  (cluster, broker, respond, [name, sessionMs, rebalanceMs, memberId, instanceId, , protocols]) => {
    cluster.requireCoordinator(broker, `${GROUP} ${name}`);
    const request = { memberId, instanceId, sessionMs, rebalanceMs, metadata: protocols[0]?.metadata };
    cluster.group(name).join(request, (result) => respond(responseOf(result)));
  },
);

export const syncGroupV5 = deferred<
  [
    group: string,
    generation: number,
    memberId: string,
    instanceId: string | null,
    type: string,
    protocol: string,
    shares: readonly Share[],
  ],
  Synced
>('SyncGroup', (cluster, broker, respond, [name, generation, memberId, instanceId, , , shares]) => {
  cluster.requireCoordinator(broker, `${GROUP} ${name}`);
  cluster.group(name).sync(memberId, generation, instanceId, shares, (result) => respond(responseOf(result)));
});

function responseOf(result: object): { value: unknown } | { error: Error } {
  return result instanceof Error ? { error: result } : { value: result };
}

export const heartbeatV4 = api(
  'Heartbeat',
  (cluster, broker, name: string, generation: number, memberId: string, instanceId: string | null) => {
    cluster.requireCoordinator(broker, `${GROUP} ${name}`);
    orThrow(cluster.group(name).heartbeat(memberId, generation, instanceId));
    return {};
  },
);

type Leaving = { readonly memberId: string; readonly groupInstanceId?: string | null };

export const leaveGroupV5 = api(
  'LeaveGroup',
  (cluster, broker, name: string, members: readonly Leaving[]) => {
    cluster.requireCoordinator(broker, `${GROUP} ${name}`);
    for (const { memberId, groupInstanceId } of members)
      orThrow(cluster.group(name).leave(memberId, groupInstanceId ?? null));
    return {};
  },
);

function orThrow(error: Error | null): void {
  if (error !== null) throw error;
}

// Messages between members are not encoded, as the cluster does not read them.

export const encodeConsumerProtocolSubscription = same;
export const decodeConsumerProtocolSubscription = same;
export const encodeConsumerProtocolAssignment = same;
export const decodeConsumerProtocolAssignment = (value: unknown): unknown =>
  value ?? { assignedPartitions: [] };

function same<T>(value: T): T {
  return value;
}
