import { settlesWithin } from '#timing/clock.ts';
import { StreamError } from '../../../errors.ts';
import type { GroupOptions } from '../../port.ts';
import type { BrokerConnections } from '../connections.ts';
import { heartbeatV4, joinGroupV9, leaveGroupV5, syncGroupV5 } from '../library.ts';
import { encodeSubscription, PROTOCOL } from './consumer-protocol.ts';
import type { Membership } from './membership.ts';

/** Maximum rebalance timeout, below the request timeout: the coordinator responds to a join once all members have joined. */
const MAX_REBALANCE_MS = 10_000;
/** Share of the session timeout: a join that waits for a dead member must end before the others' sessions expire. */
const REBALANCE_SHARE = 2 / 3;
/** Timeout of a heartbeat as a share of the session timeout, so that two can fail within a session. */
const HEARTBEAT_SHARE = 1 / 3;
const TYPE = 'consumer';

export type JoinGroupAnswer = Awaited<ReturnType<typeof joinGroupV9.api.async>>;

/** The requests of a member to the coordinator of its group. Each rejects with the library's errors. */
export class GroupRequests {
  readonly #connections: BrokerConnections;
  readonly #options: GroupOptions;
  readonly #instanceId: string | null;

  constructor(connections: BrokerConnections, options: GroupOptions) {
    this.#connections = connections;
    this.#options = options;
    this.#instanceId = options.instanceId ?? null;
  }

  async join({ memberId, held }: Membership): Promise<JoinGroupAnswer> {
    const { group, topic, sessionTimeoutMs } = this.#options;
    return joinGroupV9.api.async(
      await this.#coordinator(),
      group,
      sessionTimeoutMs,
      Math.min(MAX_REBALANCE_MS, sessionTimeoutMs * REBALANCE_SHARE),
      memberId,
      this.#instanceId,
      TYPE,
      [{ name: PROTOCOL, metadata: encodeSubscription(topic, held) }],
    );
  }

  /** Returns the share of this member. `shares`: all members' shares when this member leads the group, else empty. */
  async sync(
    { memberId, generation }: Membership,
    shares: { memberId: string; assignment: Buffer }[],
  ): Promise<Buffer> {
    const { assignment } = await syncGroupV5.api.async(
      await this.#coordinator(),
      this.#options.group,
      generation,
      memberId,
      this.#instanceId,
      TYPE,
      PROTOCOL,
      shares,
    );
    return assignment;
  }

  /** Resolves when the group confirms the member. Rejects with `StreamError` after a third of a session without a response. */
  async heartbeat({ memberId, generation }: Membership): Promise<void> {
    const { group, sessionTimeoutMs } = this.#options;
    const coordinator = await this.#coordinator();
    const answered = heartbeatV4.api.async(coordinator, group, generation, memberId, this.#instanceId);
    if (!(await settlesWithin(answered, sessionTimeoutMs * HEARTBEAT_SHARE)))
      throw new StreamError('UNAVAILABLE', `${group}: a heartbeat is not answered`);
  }

  async leave(memberId: string): Promise<void> {
    const members = [{ memberId, groupInstanceId: this.#instanceId }];
    await leaveGroupV5.api.async(await this.#coordinator(), this.#options.group, members);
  }

  #coordinator(): ReturnType<BrokerConnections['coordinator']> {
    return this.#connections.coordinator('group', this.#options.group);
  }
}
