/** Group members whose requests are late or lost, or reach another broker. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openStreamClient } from '#streams/client/client.ts';
import type { GroupMember, StreamClient } from '#streams/client/port.ts';
import { quietLog } from '../../support/log.ts';
import type { ProxiedKafka } from '../../support/own-kafka.ts';
import { untilTrue } from '../../support/poll.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { makeTopics } from '../../support/topics.ts';

/** The shortest that a broker accepts. */
const SESSION_MS = 6_000;
const PARTITIONS = 6;

let proxied: ProxiedKafka;
beforeAll(async () => {
  proxied = await restartableKafka();
});

async function makeTopic(): Promise<string> {
  const topic = `membership-${randomUUID()}`;
  await makeTopics(proxied.directBrokers, [{ name: topic, partitions: PARTITIONS, replicationFactor: 1 }]);
  return topic;
}

type MemberOptions = {
  /** Prefix of the member id, which decides the order of members. */
  readonly name?: string;
  readonly instanceId?: string;
  readonly leaves?: boolean;
};

/** A member that records the calls of its listener. */
class Member {
  /** Its partitions; null while it is not in the group. */
  partitions: readonly number[] | null = null;
  readonly assignments: (readonly number[])[] = [];
  lost = 0;
  /** Maximum time between sending a confirmed request and the listener's call, milliseconds; 0 without one. */
  age = 0;
  readonly #member: GroupMember;
  readonly #client: StreamClient;

  private constructor(group: string, brokers: readonly string[], options: MemberOptions) {
    const { name = 'membership', ...membership } = options;
    this.#client = openStreamClient({ brokers, clientId: name, log: quietLog });
    this.#member = this.#client.openGroupMember({
      group,
      topic: group,
      sessionTimeoutMs: SESSION_MS,
      ...membership,
      listener: {
        onAssigned: (partitions) => {
          this.partitions = partitions;
          this.assignments.push(partitions);
        },
        onLost: () => {
          this.partitions = null;
          this.lost += 1;
        },
        onHeartbeat: (sentAt) => {
          this.age = Math.max(this.age, performance.now() - sentAt);
        },
        onFenced: (error) => {
          throw error;
        },
      },
    });
    onTestFinished(() => this.stop());
  }

  static async join(group: string, brokers: readonly string[], options: MemberOptions = {}): Promise<Member> {
    const member = new Member(group, brokers, options);
    await member.#member.start();
    return member;
  }

  async stop(): Promise<void> {
    await this.#member.stop();
    await this.#client.close();
  }
}

/** Returns the owner of each partition, as its index in the list; -1 without exactly one. */
function owners(members: readonly Member[]): number[] {
  return Array.from({ length: PARTITIONS }, (_, partition) => {
    const found = members.flatMap(({ partitions }, at) => (partitions?.includes(partition) ? [at] : []));
    return found.length === 1 ? (found[0] ?? -1) : -1;
  });
}

test('reports when a heartbeat was sent, not when its late response arrived', async () => {
  const { proxy, brokers } = proxied;
  const member = await Member.join(await makeTopic(), brokers);
  await untilTrue('heartbeats are answered', () => member.age > 0);
  const { promise, resolve } = Promise.withResolvers<void>();
  proxy.freeze();
  setTimeout(resolve, 1_500);
  await promise;
  proxy.resume();
  await untilTrue('the late response', () => member.age > 900);
  expect(member.lost).toBe(0);
});

test('moves only its share to a member that returns after its session', async () => {
  const { proxy, brokers, directBrokers } = proxied;
  const topic = await makeTopic();
  // By its name it would come first among equal claims.
  const silent = await Member.join(topic, brokers, { name: 'a-silent' });
  await untilTrue('it has all', () => silent.partitions?.length === PARTITIONS);
  proxy.freeze();
  await untilTrue('it is lost', () => silent.lost === 1);
  const others = [
    await Member.join(topic, directBrokers, { name: 'b-stays' }),
    await Member.join(topic, directBrokers, { name: 'c-stays' }),
  ];
  await untilTrue('they share', () => others.every(({ partitions }) => partitions?.length === 3));
  const before = owners(others);
  // It claims all its partitions of a past generation.
  proxy.resume();
  const all = [...others, silent];
  await untilTrue('each has two', () => all.every(({ partitions }) => partitions?.length === 2));
  const moved = owners(all).filter((owner, partition) => owner !== before[partition]);
  expect(moved).toEqual([2, 2]);
});

// Other behaviour of members with an instance id: test/support/conformance.ts.
test('keeps the partitions of a member with an instance id that stops without leaving', async () => {
  const { directBrokers } = proxied;
  const topic = await makeTopic();
  const start = (instanceId: string) => Member.join(topic, directBrokers, { instanceId, leaves: false });
  const [first, other] = [await start('first'), await start('other')];
  await untilTrue('they share', () => owners([first, other]).every((owner) => owner >= 0));
  const [held, assignments] = [first.partitions, other.assignments.length];
  await first.stop();
  expect((await start('first')).partitions).toEqual(held);
  expect(other.assignments).toHaveLength(assignments);
});

test('moves no partition when a broker restarts within a session', async () => {
  const { brokers, kafka } = proxied;
  const topic = await makeTopic();
  const members = [await Member.join(topic, brokers), await Member.join(topic, brokers)];
  await untilTrue('they share', () => owners(members).every((owner) => owner >= 0));
  const before = owners(members);
  const assigned = members.map(({ assignments }) => assignments.length);
  await kafka.kill('SIGKILL');
  await kafka.start();
  for (const member of members) member.age = 0;
  await untilTrue('both are confirmed', () =>
    members.every(({ age, partitions }) => age > 0 && partitions !== null),
  );
  expect(owners(members)).toEqual(before);
  // A restart longer than a session causes a loss and the same assignment again.
  expect(members.map(({ assignments, lost }) => assignments.length - lost)).toEqual(assigned);
});
