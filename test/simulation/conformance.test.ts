/**
 * Runs the conformance suite of a real broker against the model of the cluster, with the real client (test/support/conformance.ts).
 * Virtual time keeps pace with the clock, as the tests run outside of the simulation.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { describeStreamClient } from '../support/conformance.ts';
import { substitute } from './harness/substitutes.ts';

substitute([]);
const { openStreamClient } = await import('#streams/client/client.ts');
const { partitionKey } = await import('#streams/client/port.ts');
const { Cluster } = await import('./broker/cluster.ts');
const { bootstrap, clusters } = await import('./client/network.ts');
const { World } = await import('./world/world.ts');

const TICK_MS = 1;
const LONG_MS = 900_000;

const world = new World(Number(process.env.SEED ?? 1), false);
const cluster = new Cluster(world);
clusters.set(world, cluster);
const client = world.start('client');
const log = { debug() {}, info() {}, warn() {}, error() {} };

let isOver = false;
const started = performance.now();
const running = (async () => {
  while (!isOver) {
    await world.runUntil(performance.now() - started);
    await delay(TICK_MS);
  }
})();
afterAll(async () => {
  isOver = true;
  await running;
});

/** Methods that return at once; all others return a promise. */
const IMMEDIATE = ['openReader', 'openGroupMember'];

/** Returns an object whose methods run in the simulated process, and whose results are those of such objects. */
function inProcess<T extends object>(object: T): T {
  return new Proxy(object, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const call = () => member.apply(target, args);
        if (IMMEDIATE.includes(String(name))) return inProcess(world.runAs(client, call));
        return delivered(call, name === 'openProducer');
      };
    },
  });
}

function delivered(call: () => unknown, opens: boolean): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // The test goes on outside of the event.
    const run = async (): Promise<void> => {
      try {
        const value = await call();
        setImmediate(() => resolve(opens ? inProcess(value as object) : value));
      } catch (error) {
        setImmediate(() => reject(error));
      }
    };
    world.deliver(client, 0, () => void run());
  });
}

describeStreamClient({
  prefix: 'conformance.',
  openClient() {
    const options = { brokers: bootstrap(cluster), clientId: 'conformance', log };
    return inProcess(world.runAs(client, () => openStreamClient(options)));
  },
  async makeTopics(names, partitions) {
    for (const name of names) cluster.createTopic(name, partitions);
  },
  async recreateTopic(name, partitions) {
    cluster.deleteTopic(name);
    cluster.createTopic(name, partitions);
  },
  async leaveOpen(transactionalId, of, value) {
    const producer = cluster.transactions.initProducer(transactionalId, LONG_MS);
    cluster.transactions.addPartitions(transactionalId, producer, [partitionKey(of)]);
    const records = [{ key: Buffer.from('key'), value: Buffer.from(value) }];
    const { leader } = cluster.partition(of);
    cluster.produce(leader ?? 0, of, { transactionalId, producer, sequence: 0, records });
    return { abort: async () => cluster.transactions.end(transactionalId, producer, false) };
  },
});
