/** Checks which process may claim a partition, and which partitions a rebalance may move. */
import type { Cluster } from '../broker/cluster.ts';
import type { GroupShare } from '../broker/group-messages.ts';
import type { Process } from '../world/world.ts';

/** The membership of a process, by the responses that it received. */
type Member = {
  generation: number;
  partitions: readonly number[];
  /** When the last confirmed request was sent, virtual milliseconds. */
  confirmedAt: number;
  /** When each of its tasks was fenced, by partition. */
  readonly fencedAt: Map<number, number>;
};

type MembershipOptions = {
  readonly sessionMs: number;
  /** Number of processes. */
  readonly processes: number;
  readonly isStatic: boolean;
};

export class MembershipChecks {
  readonly #cluster: Cluster;
  readonly #options: MembershipOptions;
  readonly #fail: (violation: string) => void;
  readonly #members = new Map<Process, Member>();

  constructor(cluster: Cluster, options: MembershipOptions, fail: (violation: string) => void) {
    this.#cluster = cluster;
    this.#options = options;
    this.#fail = fail;
    cluster.listener.onConfirmed = (process, sentAt, assigned) => {
      const member = this.#of(process);
      member.confirmedAt = Math.max(member.confirmedAt, sentAt);
      if (assigned !== null) Object.assign(member, assigned);
    };
    cluster.listener.onShare = (share) => this.#onShare(share);
  }

  onFenced(process: Process, partition: number): void {
    this.#of(process).fencedAt.set(partition, this.#cluster.world.now);
  }

  /** Checks that a claim does not fence an owner to which the group has reassigned the partition. */
  onClaim(process: Process, partition: number): void {
    const { now } = this.#cluster.world;
    const { generation, confirmedAt, fencedAt } = this.#of(process);
    for (const [owner, member] of this.#members) {
      const isOwner =
        owner.isAlive && member.generation > generation && member.partitions.includes(partition);
      if (!isOwner || owner === process) continue;
      const isSilent = now >= confirmedAt + this.#options.sessionMs;
      const isFenced = (fencedAt.get(partition) ?? Number.NEGATIVE_INFINITY) >= confirmedAt;
      if (!isSilent && !isFenced) continue;
      const age = Math.round(now - confirmedAt);
      this.#fail(
        `${process.name} claims partition ${partition} of ${owner.name}: the group confirmed it ${age} ms ago, ` +
          `${isFenced ? 'before it was fenced' : 'longer ago than a session'}`,
      );
    }
  }

  #onShare({ group, generation, members, former }: GroupShare): void {
    const { processes, isStatic } = this.#options;
    if (isStatic && members.length > processes)
      this.#fail(`${group} generation ${generation} has ${members.length} members of ${processes} processes`);
    // A response did not reach a member, so that it claims partitions of an earlier generation.
    if (members.some(({ id, ownedIn }) => former.members.has(id) && ownedIn !== former.generation)) return;
    const owners = members.filter(({ ownedIn }) => ownedIn === former.generation);
    const kept = owners.map(
      ({ owned, share }) => share.filter((partition) => owned.includes(partition)).length,
    );
    const partitions = members.reduce((sum, { share }) => sum + share.length, 0);
    const keepable = maxKept(
      owners.map(({ owned }) => owned.length),
      partitions,
      members.length,
    );
    const stay = kept.reduce((sum, count) => sum + count, 0);
    if (stay < keepable)
      this.#fail(
        `${group} generation ${generation} moves ${keepable - stay} partitions that their owners could keep`,
      );
  }

  #of(process: Process): Member {
    let member = this.#members.get(process);
    if (member === undefined) {
      member = { generation: -1, partitions: [], confirmedAt: Number.NEGATIVE_INFINITY, fencedAt: new Map() };
      this.#members.set(process, member);
    }
    return member;
  }
}

/** Returns the maximum number of partitions that owners can keep when shares differ by at most one. */
function maxKept(held: readonly number[], partitions: number, members: number): number {
  const floor = Math.floor(partitions / members);
  const larger = held.filter((count) => count > floor).length;
  return (
    held.reduce((sum, count) => sum + Math.min(count, floor), 0) + Math.min(larger, partitions % members)
  );
}
