/** The part of the conformance suite about members of a consumer group: see conformance.ts. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { GroupMember, StreamClient } from '#streams/client/port.ts';
import { PARTITIONS } from './conformance-cluster.ts';

type JoinedMember = {
  member: GroupMember;
  assigned: (readonly number[])[];
  heartbeats: number;
  fenced: string | null;
};

const shareOf = ({ assigned }: JoinedMember): readonly number[] => assigned.at(-1) ?? [];

/** Declares the tests. `subject` returns the client of the current test, with the names of its group and topic. */
export function describeGroupMember(
  subject: () => { readonly client: StreamClient; readonly id: string; readonly topic: string },
): void {
  describe('group member', () => {
    async function join(instanceId?: string): Promise<JoinedMember> {
      const { client, id, topic } = subject();
      const joined = { assigned: [], heartbeats: 0, fenced: null } as unknown as JoinedMember;
      joined.member = client.openGroupMember({
        group: id,
        topic,
        sessionTimeoutMs: 300_000,
        ...(instanceId === undefined ? {} : { instanceId }),
        listener: {
          onAssigned: (partitions) => void joined.assigned.push([...partitions]),
          onLost() {},
          onFenced: ({ code }) => {
            joined.fenced = code;
          },
          onHeartbeat: () => {
            joined.heartbeats += 1;
          },
        },
      });
      onTestFinished(() => joined.member.stop());
      await joined.member.start();
      return joined;
    }

    test('members share the partitions and keep their own; the last member gets all', async () => {
      const first = await join();
      await expect.poll(() => shareOf(first)).toHaveLength(PARTITIONS);
      const second = await join();
      await expect.poll(() => [shareOf(first).length, shareOf(second).length]).toEqual([2, 2]);
      expect([...shareOf(first), ...shareOf(second)].sort()).toEqual([0, 1, 2, 3]);
      const kept = shareOf(second);
      await first.member.stop();
      await expect.poll(() => shareOf(second)).toHaveLength(PARTITIONS);
      expect(shareOf(second)).toEqual(expect.arrayContaining([...kept]));
    });

    test('a member that restarts under its name has its partitions at once, and fences the previous one', async () => {
      const [first, second] = [await join('one'), await join('two')];
      await expect.poll(() => [shareOf(first).length, shareOf(second).length]).toEqual([2, 2]);
      const before = second.assigned.length;
      const again = await join('one');
      await expect.poll(() => again.assigned.length).toBeGreaterThan(0);
      expect(shareOf(again)).toEqual(shareOf(first));
      await expect.poll(() => first.fenced).not.toBeNull();
      expect(second.assigned).toHaveLength(before);
    });

    test('a member is confirmed by the group', async () => {
      const joined = await join();
      await expect.poll(() => shareOf(joined)).toHaveLength(PARTITIONS);
      const before = joined.heartbeats;
      await expect.poll(() => joined.heartbeats).toBeGreaterThan(before + 2);
    });
  });
}
