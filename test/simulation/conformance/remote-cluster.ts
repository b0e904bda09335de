/** A simulated cluster in a thread, and its clients, with the interface of the conformance suite. */
import { MessageChannel, Worker } from 'node:worker_threads';
import type { PartitionReader, StreamClient, TransactionalProducer } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import type { ConformanceCluster } from '../../support/conformance-cluster.ts';
import {
  type FromThread,
  mapped,
  type ThreadOptions,
  type Thrown,
  type ToThread,
  toBuffer,
} from './messages.ts';

/** A cluster in a thread, which `close` ends. */
export class RemoteCluster implements ConformanceCluster {
  readonly prefix = 'conformance.';
  readonly #worker: Worker;
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #callbacks: ((...args: unknown[]) => unknown)[] = [];
  /** Carries the results of calls that the thread blocks for. */
  readonly #answers = new MessageChannel();
  readonly #flag = new Int32Array(new SharedArrayBuffer(4));
  #numbers = 0;

  constructor(seed: number) {
    const url = new URL('./served-cluster.ts', import.meta.url);
    const { port2: answers } = this.#answers;
    const workerData: ThreadOptions = { seed, answers, flag: this.#flag };
    this.#worker = new Worker(url, { workerData, transferList: [answers], execArgv: [] });
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    this.#worker.on('error', (error) => {
      for (const { reject } of this.#calls.values()) reject(error);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
    this.#answers.port1.close();
  }

  openClient(): StreamClient {
    const { target, call } = this.#open('cluster', 'openClient', []);
    return {
      openProducer: async (options) => {
        const producer = this.#open(target, 'openProducer', [options]);
        const identity = (await producer.opened) as TransactionalProducer['identity'];
        return {
          identity,
          transact: async (records, accept) => {
            await producer.call('transact', records, ...(accept === undefined ? [] : [accept]));
          },
          requireCurrent: async () => void (await producer.call('requireCurrent')),
          requireDecided: async () => void (await producer.call('requireDecided')),
          untilCompleted: async () => void (await producer.call('untilCompleted')),
          close: async () => void (await producer.call('close')),
        };
      },
      openReader: (options) => {
        const reader = this.#open(target, 'openReader', [options]);
        return {
          topicId: () => reader.call('topicId') as Promise<string>,
          read: (offset, epoch = null) =>
            reader.call('read', offset, epoch) as ReturnType<PartitionReader['read']>,
          close: async () => void (await reader.call('close')),
        };
      },
      openGroupMember: (options) => {
        const member = this.#open(target, 'openGroupMember', [options]);
        return {
          start: async () => void (await member.call('start')),
          stop: async () => void (await member.call('stop')),
        };
      },
      logBounds: (of) => call('logBounds', of) as ReturnType<StreamClient['logBounds']>,
      epochEnd: (of, epoch) => call('epochEnd', of, epoch) as ReturnType<StreamClient['epochEnd']>,
      topicIds: (topics) => call('topicIds', topics) as ReturnType<StreamClient['topicIds']>,
      partitionCount: (topic) => call('partitionCount', topic) as Promise<number>,
      close: async () => void (await call('close')),
    };
  }

  async makeTopics(names: readonly string[], partitions: number): Promise<void> {
    await this.#call('cluster', 'makeTopics', [names, partitions]);
  }

  async recreateTopic(name: string, partitions: number): Promise<void> {
    await this.#call('cluster', 'recreateTopic', [name, partitions]);
  }

  async leaveOpen(...args: Parameters<ConformanceCluster['leaveOpen']>): Promise<{ abort(): Promise<void> }> {
    const transaction = this.#open('cluster', 'leaveOpen', args);
    await transaction.opened;
    return { abort: async () => void (await transaction.call('abort')) };
  }

  #open(of: 'cluster' | number, method: string, args: readonly unknown[]) {
    this.#numbers += 1;
    const target = this.#numbers;
    const opened = this.#call(of, method, args, target);
    opened.catch(() => {});
    const call = (name: string, ...more: unknown[]): Promise<unknown> => this.#call(target, name, more);
    return { target, opened, call };
  }

  #call(
    target: 'cluster' | number,
    method: string,
    args: readonly unknown[],
    opens: number | null = null,
  ): Promise<unknown> {
    this.#numbers += 1;
    const id = this.#numbers;
    const called = Promise.withResolvers<unknown>();
    this.#calls.set(id, called);
    this.#post({
      kind: 'call',
      id,
      target,
      method,
      args: args.map((one) => mapped(one, (v) => this.#sent(v))),
      opens,
    });
    return called.promise;
  }

  #sent(value: unknown): unknown {
    if (typeof value !== 'function') return undefined;
    this.#callbacks.push(value as (...args: unknown[]) => unknown);
    return { callback: this.#callbacks.length - 1 };
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromThread): void {
    if (message.kind === 'callback') {
      const callback = this.#callbacks[message.callback];
      if (message.isAwaited) {
        this.#answers.port1.postMessage(thrownBy(() => callback?.(...message.args)));
        Atomics.store(this.#flag, 0, 1);
        Atomics.notify(this.#flag, 0);
        return;
      }
      const { call } = message;
      const answer = callback?.(...message.args);
      if (call === null) return;
      const reply = (value: unknown): void => this.#post({ kind: 'answer', call, value });
      void Promise.resolve(answer).then(reply);
      return;
    }
    const call = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if (message.kind === 'done') call?.resolve(mapped(message.value, toBuffer));
    else call?.reject(new StreamError(message.code as StreamError['code'], message.message));
  }
}

function thrownBy(run: () => unknown): Thrown {
  try {
    run();
    return null;
  } catch (error) {
    const { code, message } = error as StreamError;
    return { code, message };
  }
}
