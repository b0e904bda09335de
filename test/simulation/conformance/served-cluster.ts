/**
 * A thread with a simulated cluster and the real client. Virtual time keeps pace with the clock, as the conformance suite runs in a
 * test runner outside the simulation.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { TopicPartition } from '#streams/client/port.ts';
import { substitute } from '../harness/substitutes.ts';
import {
  type FromThread,
  mapped,
  type ThreadOptions,
  type Thrown,
  type ToThread,
  toBuffer,
} from './messages.ts';

const port = parentPort;
if (port === null) throw new Error('this is a worker thread');
substitute([]);
const { openStreamClient } = await import('#streams/client/client.ts');
const { Cluster } = await import('../broker/cluster.ts');
const { bootstrap, clusters } = await import('../client/network.ts');
const { partitionKey } = await import('#streams/client/port.ts');
const { StreamError } = await import('#streams/errors.ts');
const { World } = await import('../world/world.ts');

type StreamErrorCode = ConstructorParameters<typeof StreamError>[0];

const TICK_MS = 1;
const LONG_MS = 900_000;

const { seed, answers: awaited, flag } = workerData as ThreadOptions;
const world = new World(seed, false);
const cluster = new Cluster(world);
clusters.set(world, cluster);
const process = world.start('client');
const log = { debug() {}, info() {}, warn() {}, error() {} };

const served = {
  openClient: () => openStreamClient({ brokers: bootstrap(cluster), clientId: 'conformance', log }),
  makeTopics(names: readonly string[], partitions: number): void {
    for (const name of names) cluster.createTopic(name, partitions);
  },
  recreateTopic(name: string, partitions: number): void {
    cluster.deleteTopic(name);
    cluster.createTopic(name, partitions);
  },
  leaveOpen(transactionalId: string, of: TopicPartition, value: string) {
    const producer = cluster.transactions.initProducer(transactionalId, LONG_MS);
    cluster.transactions.addPartitions(transactionalId, producer, [partitionKey(of)]);
    const records = [{ key: Buffer.from('key'), value: Buffer.from(value) }];
    const { leader } = cluster.partition(of);
    cluster.produce(leader ?? 0, of, { transactionalId, producer, sequence: 0, records });
    return { abort: () => cluster.transactions.end(transactionalId, producer, false) };
  },
};

type Served = Record<string, (...args: unknown[]) => unknown>;
const objects = new Map<'cluster' | number, Served>([['cluster', served as unknown as Served]]);
const answers = new Map<number, (value: unknown) => void>();

const post = (message: FromThread): void => port.postMessage(message);

port.on('message', (message: ToThread) => {
  world.deliver(process, 0, () => {
    if (message.kind === 'answer') answers.get(message.call)?.(message.value);
    else void call(message);
  });
});

async function call({ id, target, method, args, opens }: ToThread & { kind: 'call' }): Promise<void> {
  try {
    const object = objects.get(target);
    const stubOf = method === 'transact' ? awaitedStub : stub;
    const value = await object?.[method]?.(
      ...args.map((one) => mapped(one, (part) => received(part, stubOf))),
    );
    if (opens === null) post({ kind: 'done', id, value });
    else {
      objects.set(opens, value as Served);
      const { identity } = value as { identity?: unknown };
      post({ kind: 'done', id, value: identity });
    }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    post({ kind: 'failed', id, code: code ?? '', message });
  }
}

type Stub = (callback: number) => (...args: unknown[]) => unknown;

function received(value: unknown, stubOf: Stub): unknown {
  const callback = (value as { callback?: unknown } | null)?.callback;
  return typeof callback === 'number' ? stubOf(callback) : toBuffer(value);
}

/** Returns a function that calls a function of the test, and blocks until that has returned or thrown. */
function awaitedStub(callback: number): (...args: unknown[]) => void {
  return (...args) => {
    Atomics.store(flag, 0, 0);
    post({ kind: 'callback', callback, args, isAwaited: true, call: null });
    Atomics.wait(flag, 0, 0);
    const thrown = receiveMessageOnPort(awaited)?.message as Thrown;
    if (thrown !== null) throw new StreamError(thrown.code as StreamErrorCode, thrown.message);
  };
}

/** Returns a function that calls a function of the test, and resolves with its result. */
function stub(callback: number): (...args: unknown[]) => Promise<unknown> {
  return (...args) =>
    new Promise((resolve) => {
      const number = answers.size;
      answers.set(number, resolve);
      const plainArgs = args.map((one) => mapped(one, plain));
      post({ kind: 'callback', callback, args: plainArgs, isAwaited: false, call: number });
    });
}

/** Returns an error as a plain object with its code; undefined for other values. */
function plain(value: unknown): unknown {
  if (!(value instanceof Error)) return undefined;
  return { code: (value as { code?: string }).code, message: value.message };
}

const started = performance.now();
for (;;) {
  await world.runUntil(performance.now() - started);
  await delay(TICK_MS);
}
