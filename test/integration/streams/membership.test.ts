/** What a member of a group does where its requests are late, lost, or answered by another broker. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openStreamClient } from '#streams/client/client.ts';
import { quietLog } from '../../support/log.ts';
import { untilTrue } from '../../support/poll.ts';
import { type ProxiedKafka, startProxiedKafka } from '../../support/proxied-kafka.ts';
import { makeTopics } from '../../support/topics.ts';

/** The shortest that a broker accepts. */
const SESSION_MS = 6_000;
const PARTITIONS = 3;

let proxied: ProxiedKafka;
beforeAll(async () => {
  proxied = await startProxiedKafka();
});

async function makeTopic(): Promise<string> {
  const topic = `membership-${randomUUID()}`;
  await makeTopics(proxied.directBrokers, [{ topic, numPartitions: PARTITIONS, replicationFactor: 1 }]);
  return topic;
}

/** A member, and what it was told. */
class Member {
  /** Its partitions; null while it is not in the group. */
  partitions: readonly number[] | null = null;
  readonly assignments: (readonly number[])[] = [];
  lost = 0;
  /** How long before it was told a confirmed request was sent, milliseconds: the longest, 0 without any. */
  age = 0;

  static async join(group: string, brokers: readonly string[]): Promise<Member> {
    const member = new Member();
    const client = openStreamClient({ brokers, clientId: 'membership', log: quietLog });
    const joining = client.openGroupMember({
      ...{ group, topic: group, sessionTimeoutMs: SESSION_MS },
      listener: {
        onAssigned: (partitions) => {
          member.partitions = partitions;
          member.assignments.push(partitions);
        },
        onLost: () => {
          member.partitions = null;
          member.lost += 1;
        },
        onHeartbeat: (sentAt) => {
          member.age = Math.max(member.age, performance.now() - sentAt);
        },
      },
    });
    onTestFinished(async () => {
      await joining.stop();
      await client.close();
    });
    await joining.start();
    return member;
  }
}

/** The owner of each partition, by its place in the list; -1 without exactly one. */
function owners(members: readonly Member[]): number[] {
  return Array.from({ length: PARTITIONS }, (_, partition) => {
    const found = members.flatMap(({ partitions }, at) => (partitions?.includes(partition) ? [at] : []));
    return found.length === 1 ? (found[0] ?? -1) : -1;
  });
}

test('a heartbeat that is answered late confirms the time when it was sent', async () => {
  const { proxy, brokers } = proxied;
  const member = await Member.join(await makeTopic(), brokers);
  await untilTrue('heartbeats are answered', () => member.age > 0);
  const { promise, resolve } = Promise.withResolvers<void>();
  proxy.freeze();
  setTimeout(resolve, 1_500);
  await promise;
  proxy.resume();
  await untilTrue('the late answer', () => member.age > 900);
  expect(member.lost).toBe(0);
});

test('a member whose group is silent for a session says so, and claims nothing when it is back', async () => {
  const { proxy, brokers, directBrokers } = proxied;
  const topic = await makeTopic();
  const others = [await Member.join(topic, directBrokers), await Member.join(topic, directBrokers)];
  const silent = await Member.join(topic, brokers);
  const all = [...others, silent];
  await untilTrue('each has one', () => all.every(({ partitions }) => partitions?.length === 1));
  proxy.freeze();
  await untilTrue('it is lost', () => silent.lost === 1);
  await untilTrue('the others have all', () => owners(others).every((owner) => owner >= 0));
  const before = owners(others);
  // It joins as one who owned a partition, in a generation that is over.
  proxy.resume();
  await untilTrue('each has one again', () => all.every(({ partitions }) => partitions?.length === 1));
  const after = owners(all);
  expect(after.filter((owner, partition) => owner !== before[partition])).toEqual([2]);
  expect(silent.lost).toBe(1);
});

test('a broker that restarts within a session moves nothing', async () => {
  const { brokers, kafka } = proxied;
  const topic = await makeTopic();
  const members = [await Member.join(topic, brokers), await Member.join(topic, brokers)];
  await untilTrue('they share', () => owners(members).every((owner) => owner >= 0));
  const before = owners(members);
  const told = members.map(({ assignments }) => assignments.length);
  await kafka.kill('SIGKILL');
  await kafka.start();
  for (const member of members) member.age = 0;
  await untilTrue('both are confirmed', () =>
    members.every(({ age, partitions }) => age > 0 && partitions !== null),
  );
  expect(owners(members)).toEqual(before);
  // A start that takes longer than a session is a loss, and the same assignment again.
  expect(members.map(({ assignments, lost }) => assignments.length - lost)).toEqual(told);
});
