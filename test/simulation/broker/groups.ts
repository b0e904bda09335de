import type { World } from '../world/world.ts';
import {
  type Assignment,
  failPending,
  type GroupMemberState,
  type GroupShare,
  type GroupSubscription,
  type JoinRequest,
  MemberIdRequired,
  partitionsIn,
  type RespondToJoin,
  type RespondToSync,
  type Share,
} from './group-messages.ts';
import { ProtocolError } from './protocol-error.ts';

/** How long a new group waits for further members. */
const INITIAL_DELAY_MS = 3;

/** A consumer group of the classic protocol with generations, sessions and static members (KIP-345). */
export class Group {
  readonly #world: World;
  readonly #name: string;
  readonly #onShare: (share: GroupShare) => void;
  /** The last assigned generation and its members. */
  #former = { generation: -1, members: new Set<string>() };
  readonly #members = new Map<string, GroupMemberState>();
  readonly #pending = new Set<string>();
  #state: 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable' = 'Empty';
  #generation = 0;
  #leader = '';
  #assignments = new Map<string, unknown>();
  #ids = 0;
  #rebalance: { run: (() => void) | null } | null = null;

  constructor(world: World, name: string, onShare: (share: GroupShare) => void) {
    this.#world = world;
    this.#name = name;
    this.#onShare = onShare;
  }

  join(request: JoinRequest, respond: RespondToJoin): void {
    const { memberId, instanceId } = request;
    const known = instanceId === null ? undefined : this.#byInstance(instanceId);
    if (memberId === '' && instanceId === null) {
      const id = this.#newId();
      this.#pending.add(id);
      respond(new MemberIdRequired(id));
      return;
    }
    if (memberId === '' && known !== undefined) {
      this.#replace(known, request, respond);
      return;
    }
    if (memberId !== '' && !this.#members.has(memberId) && !this.#pending.has(memberId)) {
      respond(new ProtocolError(known === undefined ? 'UNKNOWN_MEMBER_ID' : 'FENCED_INSTANCE_ID'));
      return;
    }
    const id = memberId === '' ? this.#newId() : memberId;
    this.#pending.delete(id);
    const member: GroupMemberState = this.#members.get(id) ?? {
      id,
      instanceId,
      sessionMs: 0,
      rebalanceMs: 0,
      metadata: null,
      join: null,
      sync: null,
      seenAt: this.#world.now,
    };
    const isNew = !this.#members.has(id);
    this.#members.set(id, member);
    this.#enter(member, request, respond);
    if (isNew) this.#watch(member);
    this.#prepare();
  }

  sync(
    memberId: string,
    generation: number,
    instanceId: string | null,
    shares: readonly Share[],
    respond: RespondToSync,
  ): void {
    const refusal = this.#refusal(memberId, generation, instanceId);
    const member = this.#members.get(memberId);
    if (refusal !== null || member === undefined) {
      respond(refusal ?? new ProtocolError('UNKNOWN_MEMBER_ID'));
      return;
    }
    member.seenAt = this.#world.now;
    if (this.#state === 'PreparingRebalance') respond(new ProtocolError('REBALANCE_IN_PROGRESS'));
    else if (this.#state === 'Stable') respond({ assignment: this.#assignments.get(memberId) ?? null });
    else {
      member.sync = respond;
      if (memberId === this.#leader) this.#share(shares);
    }
  }

  heartbeat(memberId: string, generation: number, instanceId: string | null): ProtocolError | null {
    const refusal = this.#refusal(memberId, generation, instanceId);
    if (refusal !== null) return refusal;
    const member = this.#members.get(memberId);
    if (member !== undefined) member.seenAt = this.#world.now;
    return this.#state === 'PreparingRebalance' ? new ProtocolError('REBALANCE_IN_PROGRESS') : null;
  }

  leave(memberId: string, instanceId: string | null): ProtocolError | null {
    const member = instanceId === null ? this.#members.get(memberId) : this.#byInstance(instanceId);
    if (member === undefined) return new ProtocolError('UNKNOWN_MEMBER_ID');
    // A late request of the process that had the instance id before.
    if (memberId !== '' && member.id !== memberId) return new ProtocolError('FENCED_INSTANCE_ID');
    this.#remove(member, 'leaves');
    return null;
  }

  /** Moves the coordinator: pending joins and syncs fail, and all sessions start again. */
  move(): void {
    for (const member of this.#members.values()) {
      member.seenAt = this.#world.now;
      failPending(member, 'NOT_COORDINATOR');
    }
    if (this.#state === 'CompletingRebalance') this.#state = 'PreparingRebalance';
    if (this.#state === 'PreparingRebalance') this.#plan(this.#longestRebalance());
  }

  #refusal(memberId: string, generation: number, instanceId: string | null): ProtocolError | null {
    const named = instanceId === null ? undefined : this.#byInstance(instanceId);
    if (named !== undefined && named.id !== memberId) return new ProtocolError('FENCED_INSTANCE_ID');
    if (!this.#members.has(memberId)) return new ProtocolError('UNKNOWN_MEMBER_ID');
    return generation === this.#generation ? null : new ProtocolError('ILLEGAL_GENERATION');
  }

  #byInstance(instanceId: string): GroupMemberState | undefined {
    return [...this.#members.values()].find((one) => one.instanceId === instanceId);
  }

  #newId(): string {
    this.#ids += 1;
    // Like a broker's ids, these have no order.
    return `member-${this.#world.random.int(100, 999)}-${this.#ids}`;
  }

  /** Replaces a static member that joins again. In a stable group it keeps its assignment without a rebalance. */
  #replace(known: GroupMemberState, request: JoinRequest, respond: RespondToJoin): void {
    const id = this.#newId();
    this.#members.delete(known.id);
    // Fences a process that waits with the old id, even the newer one: a late request of the older process does that.
    failPending(known, 'FENCED_INSTANCE_ID');
    const member: GroupMemberState = { ...known, id, seenAt: this.#world.now };
    this.#members.set(id, member);
    if (this.#leader === known.id) this.#leader = id;
    this.#assignments.set(id, this.#assignments.get(known.id) ?? null);
    if (this.#former.members.delete(known.id)) this.#former.members.add(id);
    this.#watch(member);
    this.#world.note('cluster', `${this.#name}: ${known.id} is ${id} now (${request.instanceId})`);
    if (this.#state === 'Stable') {
      // KIP-814: the assignment stays, also when the leader joins again.
      member.metadata = request.metadata;
      const isLeader = this.#leader === id;
      respond({
        memberId: id,
        generationId: this.#generation,
        leader: this.#leader,
        members: isLeader ? this.#everyone() : [],
        skipAssignment: isLeader,
      });
      return;
    }
    this.#enter(member, request, respond);
    this.#prepare();
  }

  #enter(member: GroupMemberState, request: JoinRequest, respond: RespondToJoin): void {
    member.sessionMs = request.sessionMs;
    member.rebalanceMs = request.rebalanceMs;
    member.metadata = request.metadata;
    member.join = respond;
    member.seenAt = this.#world.now;
  }

  #longestRebalance(): number {
    return Math.max(0, ...this.#members.values().map(({ rebalanceMs }) => rebalanceMs));
  }

  #prepare(): void {
    if (this.#state !== 'PreparingRebalance') {
      const wasEmpty = this.#state === 'Empty';
      this.#state = 'PreparingRebalance';
      for (const member of this.#members.values()) {
        member.sync?.(new ProtocolError('REBALANCE_IN_PROGRESS'));
        member.sync = null;
      }
      this.#plan(wasEmpty ? INITIAL_DELAY_MS : this.#longestRebalance());
      if (wasEmpty) return;
    }
    if (this.#generation > 0 && [...this.#members.values()].every(({ join }) => join !== null)) this.#begin();
  }

  #plan(ms: number): void {
    if (this.#rebalance !== null) this.#rebalance.run = null;
    this.#rebalance = this.#world.after(ms, () => this.#begin());
  }

  /** Begins the next generation with the members that have joined. */
  #begin(): void {
    if (this.#state !== 'PreparingRebalance') return;
    if (this.#rebalance !== null) this.#rebalance.run = null;
    for (const member of [...this.#members.values()])
      if (member.join === null && member.instanceId === null) this.#members.delete(member.id);
    const joined = [...this.#members.values()].filter(({ join }) => join !== null);
    if (joined.length === 0) {
      if (this.#members.size === 0) this.#state = 'Empty';
      else this.#plan(this.#longestRebalance());
      return;
    }
    this.#generation += 1;
    this.#state = 'CompletingRebalance';
    this.#assignments = new Map();
    if (!joined.some(({ id }) => id === this.#leader)) this.#leader = (joined[0] as GroupMemberState).id;
    const { id: leader } = this.#members.get(this.#leader) as GroupMemberState;
    this.#world.note(
      'cluster',
      `${this.#name} generation ${this.#generation}: ${joined.map(({ id }) => id).join(', ')}, led by ${leader}`,
    );
    const members = this.#everyone();
    for (const member of joined) {
      member.seenAt = this.#world.now;
      const { join, id } = member;
      member.join = null;
      join?.({
        memberId: id,
        generationId: this.#generation,
        leader,
        members: id === leader ? members : [],
        skipAssignment: false,
      });
    }
  }

  #everyone(): { memberId: string; metadata: unknown }[] {
    return [...this.#members.values()].map(({ id, metadata }) => ({ memberId: id, metadata }));
  }

  #share(shares: readonly Share[]): void {
    this.#state = 'Stable';
    for (const { memberId, assignment } of shares) this.#assignments.set(memberId, assignment);
    const members = [...this.#members.values()].map(({ id, metadata }) => ({
      id,
      owned: partitionsIn((metadata as GroupSubscription).ownedPartitions),
      ownedIn: (metadata as GroupSubscription).generationId,
      share: partitionsIn((this.#assignments.get(id) as Assignment | undefined)?.assignedPartitions),
    }));
    this.#onShare({ group: this.#name, generation: this.#generation, members, former: this.#former });
    this.#former = { generation: this.#generation, members: new Set(this.#members.keys()) };
    for (const member of this.#members.values()) {
      const { sync } = member;
      member.sync = null;
      sync?.({ assignment: this.#assignments.get(member.id) ?? null });
    }
  }

  /** Removes the member when its session expires. */
  #watch(member: GroupMemberState): void {
    const checkSession = (): void => {
      if (this.#members.get(member.id) !== member) return;
      const left = member.seenAt + member.sessionMs - this.#world.now;
      const waits = member.join !== null || member.sync !== null;
      if (left > 0 || waits)
        this.#world.after(waits ? Math.max(left, member.sessionMs / 2) : left, checkSession);
      else this.#remove(member, 'is silent');
    };
    this.#world.after(member.sessionMs, checkSession);
  }

  #remove(member: GroupMemberState, why: string): void {
    this.#world.note('cluster', `${this.#name}: ${member.id} ${why}`);
    this.#members.delete(member.id);
    if (this.#members.size === 0) {
      this.#state = 'Empty';
      this.#leader = '';
      return;
    }
    this.#prepare();
  }
}
