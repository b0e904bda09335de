import { settlesWithin, sleep } from '#timing/clock.ts';
import { backoffMs } from '#timing/retry.ts';
import { StreamError } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import type { GroupMember, GroupOptions } from '../../port.ts';
import type { BrokerConnections } from '../connections.ts';
import { hasCode, isDisconnected, isRetryable, toStreamError } from '../errors.ts';
import { type Connection, heartbeatV4, joinGroupV9, leaveGroupV5, syncGroupV5 } from '../library.ts';
import { assignmentOf, decodeAssignment, encodeSubscription, PROTOCOL } from './assignment.ts';
import {
  decide,
  FAILED_REQUESTS,
  type Membership,
  type MembershipDecision,
  NOT_A_MEMBER,
} from './membership.ts';

/** Default heartbeat interval. A member learns of a rebalance by a heartbeat, and its new partitions are idle until then. */
const HEARTBEAT_MS = 200;
/** Heartbeat interval of a member that has been alone for a while: only a member that joins waits for its next heartbeat. */
const ALONE_HEARTBEAT_MS = 1_000;
/** How long a group is watched for members that start together with the first one. */
const ALONE_AFTER_MS = 10_000;
/** Timeout of the first assignment. */
const START_WITHIN_MS = 30_000;
/** Timeout of leaving the group. The group removes a member without heartbeats by itself. */
const LEAVE_WITHIN_MS = 5_000;
const BACKOFF = { firstMs: 50, ceilingMs: 1_000 };
/** Pause after the group refused a request. */
const REFUSED_MS = 1_000;
/** Maximum rebalance timeout, below the request timeout: the coordinator responds to a join once all members have joined. */
const MAX_REBALANCE_MS = 10_000;
/** Share of the session timeout: a join that waits for a dead member must end before the others' sessions expire. */
const REBALANCE_SHARE = 2 / 3;
/** Timeout of a heartbeat as a share of the session timeout, so that two can fail within a session. */
const HEARTBEAT_SHARE = 1 / 3;
const TYPE = 'consumer';
/** Interval at which the group's leader checks for new partitions of the topic. */
const PARTITIONS_MS = 10_000;

/** A group member built on requests. One loop sends one request at a time (docs/decisions/0114). */
export class ProtocolGroupMember implements GroupMember {
  readonly #connections: BrokerConnections;
  readonly #options: GroupOptions;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  readonly #instanceId: string | null;
  #membership: Membership = NOT_A_MEMBER;
  #running: Promise<void> = Promise.resolve();
  /** Whether the listener's last call was for an assignment, and not for its loss. */
  #isAssigned = false;
  /** Reports the loss of the partitions when no response confirms the session in time. */
  #watchdog: NodeJS.Timeout | undefined;
  #heartbeatAt = 0;
  #failures = 0;
  /** Number of partitions at the leader's last assignment, and when it was last checked; null when this member does not lead. */
  #partitions: { readonly count: number; readonly at: number } | null = null;
  /** Since when this member has been the only one, on the monotonic clock; infinite when there are others. */
  #aloneSince = Number.POSITIVE_INFINITY;

  constructor(connections: BrokerConnections, options: GroupOptions, log: Logger) {
    this.#connections = connections;
    this.#options = options;
    this.#instanceId = options.instanceId ?? null;
    this.#log = log;
  }

  async start(): Promise<void> {
    this.#running = this.#run();
    if (await settlesWithin(this.#first.promise, START_WITHIN_MS)) return;
    throw new StreamError('UNAVAILABLE', `join ${this.#options.group}: no assignment in time`);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#watchdog);
    await settlesWithin(
      this.#leave().catch(() => {}),
      LEAVE_WITHIN_MS,
    );
    await this.#connections.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && this.#membership.step !== 'ended') {
      try {
        if (this.#membership.step === 'join') await this.#join();
        else await this.#heartbeat();
        this.#failures = 0;
      } catch (error) {
        if (!signal.aborted) await this.#recover(error);
      }
    }
  }

  async #join(): Promise<void> {
    const { group, topic, sessionTimeoutMs } = this.#options;
    const answer = await joinGroupV9.api.async(
      await this.#coordinator(),
      group,
      sessionTimeoutMs,
      Math.min(MAX_REBALANCE_MS, sessionTimeoutMs * REBALANCE_SHARE),
      this.#membership.memberId,
      this.#instanceId,
      TYPE,
      [{ name: PROTOCOL, metadata: encodeSubscription(topic, this.#membership.held) }],
    );
    const { memberId, generationId, leader, members } = answer;
    this.#membership = { ...this.#membership, memberId, generation: generationId };
    const shares = memberId === leader ? await this.#share(answer) : [];
    if (memberId !== leader) this.#partitions = null;
    // Only the leader learns of the members.
    const isAlone = memberId === leader && members.length === 1;
    this.#aloneSince = isAlone ? performance.now() : Number.POSITIVE_INFINITY;
    const sentAt = performance.now();
    const assignment = await this.#sync(shares);
    if (this.#stopping.signal.aborted) return;
    const partitions = decodeAssignment(topic, assignment);
    const held = { partitions, generation: generationId };
    this.#membership = { step: 'heartbeat', memberId, generation: generationId, held };
    this.#heartbeatAt = sentAt;
    if (this.#confirm(sentAt)) this.#assign(sentAt);
  }

  /** Returns the share of this member. `shares`: all members' shares when this member leads the group, else empty. */
  async #sync(shares: { memberId: string; assignment: Buffer }[]): Promise<Buffer> {
    const { memberId, generation } = this.#membership;
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

  #coordinator(): Promise<Connection> {
    return this.#connections.coordinator('group', this.#options.group);
  }

  #assign(sentAt: number): void {
    this.#isAssigned = true;
    this.#options.listener.onAssigned(this.#membership.held.partitions, sentAt);
    this.#first.resolve();
  }

  /** As leader, returns all members' shares; none when the coordinator keeps those of a leader that restarted (KIP-814). */
  async #share({
    members,
    skipAssignment,
  }: Awaited<ReturnType<typeof joinGroupV9.api.async>>): Promise<ReturnType<typeof assignmentOf>> {
    const { topic } = this.#options;
    this.#connections.forget();
    const count = (await this.#connections.topic(topic)).leaders.length;
    this.#partitions = { count, at: performance.now() };
    return skipAssignment ? [] : assignmentOf(topic, count, members);
  }

  async #heartbeat(): Promise<void> {
    const { listener } = this.#options;
    await this.#pause(this.#heartbeatAt + this.#heartbeatMs() - performance.now());
    if (this.#stopping.signal.aborted) return;
    const sentAt = performance.now();
    this.#heartbeatAt = sentAt;
    await this.#confirmMembership();
    if (this.#stopping.signal.aborted) return;
    if (!this.#confirm(sentAt)) return;
    if (this.#isAssigned) listener.onHeartbeat(sentAt);
    else this.#assign(sentAt);
    if (await this.#hasMorePartitions()) this.#membership = { ...this.#membership, step: 'join' };
  }

  /** Sends a heartbeat. Rejects with `StreamError` after a third of a session without a response. */
  async #confirmMembership(): Promise<void> {
    const { group, sessionTimeoutMs } = this.#options;
    const { memberId, generation } = this.#membership;
    const coordinator = await this.#coordinator();
    const answered = heartbeatV4.api.async(coordinator, group, generation, memberId, this.#instanceId);
    if (!(await settlesWithin(answered, sessionTimeoutMs * HEARTBEAT_SHARE)))
      throw new StreamError('UNAVAILABLE', `${group}: a heartbeat is not answered`);
  }

  #heartbeatMs(): number {
    const { heartbeatMs = HEARTBEAT_MS } = this.#options;
    const isAlone = performance.now() > this.#aloneSince + ALONE_AFTER_MS;
    return isAlone ? Math.max(heartbeatMs, ALONE_HEARTBEAT_MS) : heartbeatMs;
  }

  async #hasMorePartitions(): Promise<boolean> {
    const known = this.#partitions;
    if (known === null || performance.now() < known.at + PARTITIONS_MS) return false;
    this.#connections.forget();
    const count = (await this.#connections.topic(this.#options.topic)).leaders.length;
    this.#partitions = { count: known.count, at: performance.now() };
    return count !== known.count;
  }

  async #recover(error: unknown): Promise<void> {
    this.#failures += 1;
    const { membership, isLost, before } = this.#decide(error);
    this.#membership = membership;
    const { group } = this.#options;
    if (membership.step === 'ended') this.#fence(error);
    else if (before === 'pause') this.#log.error({ group, err: error }, 'the group refuses this member');
    else if (this.#failures === 1) this.#log.info({ group, err: error }, 'the member joins or asks again');
    if (before === 'pause') this.#first.reject(toStreamError(`join ${group}`, error));
    if (isLost) this.#lose();
    if (before === 'nothing') return;
    if (isDisconnected(error) || error instanceof StreamError) await this.#connections.reset();
    else this.#connections.forget();
    await this.#pause(before === 'pause' ? REFUSED_MS : backoffMs(BACKOFF, this.#failures));
  }

  #decide(error: unknown): MembershipDecision {
    const isUnanswered = isRetryable(error) || error instanceof StreamError;
    const code = FAILED_REQUESTS.find((one) => hasCode(error, [one]));
    return decide(this.#membership, code ?? (isUnanswered ? 'unanswered' : 'other'), memberIdIn(error));
  }

  /** Extends the session by a response to a request of `sentAt`. Returns false when it is late: others may own the partitions. */
  #confirm(sentAt: number): boolean {
    clearTimeout(this.#watchdog);
    const rest = sentAt + this.#options.sessionTimeoutMs - performance.now();
    if (rest <= 0) {
      this.#lose();
      return false;
    }
    this.#watchdog = setTimeout(() => this.#lose(), rest);
    this.#watchdog.unref();
    return true;
  }

  #lose(): void {
    clearTimeout(this.#watchdog);
    if (!this.#isAssigned) return;
    this.#isAssigned = false;
    this.#options.listener.onLost();
  }

  #fence(cause: unknown): void {
    const { group, listener } = this.#options;
    const error = new StreamError(
      'FENCED_INSTANCE_ID',
      `another process joined ${group} as ${this.#options.instanceId}: each process needs a unique GROUP_INSTANCE_ID`,
      cause,
    );
    this.#first.reject(error);
    listener.onFenced(error);
  }

  async #leave(): Promise<void> {
    const { memberId, step } = this.#membership;
    if (memberId === '' || step === 'ended' || this.#options.leaves === false) return;
    // A broker responds in order on a connection: the request to leave would wait behind the join.
    if (step === 'join') await this.#connections.reset();
    const members = [{ memberId, groupInstanceId: this.#instanceId }];
    await leaveGroupV5.api.async(await this.#coordinator(), this.#options.group, members);
  }

  async #pause(ms: number): Promise<void> {
    await sleep(Math.max(0, ms), this.#stopping.signal);
  }
}

function memberIdIn(error: unknown): string {
  const { response } = error as { readonly response?: { readonly memberId?: string } };
  return response?.memberId ?? '';
}
