import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '#timing/backoff.ts';
import { settlesWithin } from '#timing/clock.ts';
import { StreamError } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import type { GroupMember, GroupOptions } from '../../port.ts';
import type { BrokerConnections } from '../connections.ts';
import { hasCode, isDisconnected, isTransient, toStreamError } from '../errors.ts';
import { assignmentOf, decodeAssignment } from './consumer-protocol.ts';
import { GroupRequests, type JoinGroupAnswer } from './group-requests.ts';
import {
  assigned,
  type Decision,
  GROUP_CODES,
  joined,
  type Membership,
  NOT_A_MEMBER,
  refused,
  unanswered,
} from './membership.ts';

/** A member learns of a rebalance by its heartbeat: what waits for it is unserved for so long. */
const HEARTBEAT_MS = 200;
/** How long a start waits for the first assignment. */
const START_WITHIN_MS = 30_000;
/** Longest wait at a stop: the group removes a silent member by itself. */
const LEAVE_WITHIN_MS = 5_000;
const BACKOFF = { firstMs: 50, ceilingMs: 1_000 };
const REFUSED_MS = 1_000;
/** How often the leader of the group looks whether its topic has more partitions. */
const PARTITIONS_MS = 10_000;

/**
 * A member of a group by the requests JoinGroup, SyncGroup, Heartbeat and LeaveGroup: one loop, one request at a time. It
 * reads nothing (docs/decisions/0114).
 */
export class ProtocolGroupMember implements GroupMember {
  readonly #connections: BrokerConnections;
  readonly #options: GroupOptions;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  readonly #requests: GroupRequests;
  #membership: Membership = NOT_A_MEMBER;
  #running: Promise<void> = Promise.resolve();
  /** Whether the listener was told of an assignment and of no loss since. */
  #isAssigned = false;
  /** Ends a session that no answer confirms. */
  #watchdog: NodeJS.Timeout | undefined;
  #heartbeatAt = 0;
  #failures = 0;
  /** Of the leader of the group, as of its last assignment; null in other members. */
  #partitions: { readonly count: number; readonly at: number } | null = null;

  constructor(connections: BrokerConnections, options: GroupOptions, log: Logger) {
    this.#connections = connections;
    this.#options = options;
    this.#requests = new GroupRequests(connections, options);
    this.#log = log;
  }

  async start(): Promise<void> {
    this.#running = this.#run();
    if (await settlesWithin(this.#first.promise, START_WITHIN_MS)) return;
    throw new StreamError('UNAVAILABLE', `join ${this.#options.group}: no assignment in time`);
  }

  async commit(positions: ReadonlyMap<number, number>): Promise<void> {
    const { group } = this.#options;
    // A connection answers in order: the commit would wait behind the join.
    if (this.#membership.step !== 'heartbeat') throw new StreamError('UNAVAILABLE', `${group} rebalances`);
    try {
      await this.#requests.commit(this.#membership, positions);
    } catch (error) {
      throw toStreamError(`commit offsets of ${group}`, error);
    }
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
    const { topic } = this.#options;
    const answer = await this.#requests.join(this.#membership);
    const { memberId, generationId, leader } = answer;
    this.#membership = joined(this.#membership, memberId, generationId);
    const shares = memberId === leader ? await this.#share(answer) : [];
    if (memberId !== leader) this.#partitions = null;
    const sentAt = performance.now();
    const assignment = await this.#requests.sync(this.#membership, shares);
    if (this.#stopping.signal.aborted) return;
    const partitions = decodeAssignment(topic, assignment);
    this.#membership = assigned(this.#membership, partitions);
    this.#heartbeatAt = sentAt;
    if (this.#confirm(sentAt)) this.#assign(sentAt);
  }

  #assign(sentAt: number): void {
    this.#isAssigned = true;
    this.#options.listener.onAssigned(this.#membership.held.partitions, sentAt);
    this.#first.resolve();
  }

  /** As leader: shares the partitions that the topic has now, unless its former self did and started again since (KIP-814). */
  async #share({
    members,
    skipAssignment,
  }: JoinGroupAnswer): Promise<{ memberId: string; assignment: Buffer }[]> {
    const { topic } = this.#options;
    this.#connections.forget();
    const count = await this.#connections.partitionCount(topic);
    this.#partitions = { count, at: performance.now() };
    return skipAssignment ? [] : assignmentOf(topic, count, members);
  }

  async #heartbeat(): Promise<void> {
    const { heartbeatMs = HEARTBEAT_MS, listener } = this.#options;
    await this.#pause(this.#heartbeatAt + heartbeatMs - performance.now());
    if (this.#stopping.signal.aborted) return;
    const sentAt = performance.now();
    this.#heartbeatAt = sentAt;
    await this.#requests.heartbeat(this.#membership);
    if (this.#stopping.signal.aborted) return;
    if (!this.#confirm(sentAt)) return;
    if (this.#isAssigned) listener.onHeartbeat(sentAt);
    else this.#assign(sentAt);
    if (await this.#hasMorePartitions()) this.#membership = { ...this.#membership, step: 'join' };
  }

  async #hasMorePartitions(): Promise<boolean> {
    const known = this.#partitions;
    if (known === null || performance.now() < known.at + PARTITIONS_MS) return false;
    this.#connections.forget();
    const count = await this.#connections.partitionCount(this.#options.topic);
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

  #decide(error: unknown): Decision {
    const code = GROUP_CODES.find((one) => hasCode(error, [one]));
    if (code !== undefined) return refused(this.#membership, code, memberIdIn(error));
    const isAway = isDisconnected(error) || isTransient(error) || error instanceof StreamError;
    return isAway ? unanswered(this.#membership) : refused(this.#membership, 'other');
  }

  /**
   * The group confirmed the member with the answer to a request of this time. False where the answer is read a session later:
   * others may have the partitions by now, and the next heartbeat tells.
   */
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
      `another process joined ${group} as ${this.#options.instanceId}: each needs a GROUP_INSTANCE_ID of its own`,
      cause,
    );
    this.#first.reject(error);
    listener.onFenced(error);
  }

  async #leave(): Promise<void> {
    const { memberId, step } = this.#membership;
    if (memberId === '' || step === 'ended' || this.#options.leaves === false) return;
    // A connection answers in order: the request to leave would wait behind the join.
    if (step === 'join') await this.#connections.reset();
    await this.#requests.leave(memberId);
  }

  async #pause(ms: number): Promise<void> {
    await delay(Math.max(0, ms), undefined, { signal: this.#stopping.signal }).catch(() => {});
  }
}

/** The member id that an answer names beside its error. */
function memberIdIn(error: unknown): string {
  const { response } = error as { readonly response?: { readonly memberId?: string } };
  return response?.memberId ?? '';
}
