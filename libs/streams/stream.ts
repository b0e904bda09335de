import type { Registry } from 'prom-client';
import { openStreamClient } from './client.ts';
import type { Logger } from './log.ts';
import { streamMetrics } from './metrics.ts';
import type { ConsumedRecord, GroupListener, OutputRecord, StreamClient, TopicPartition } from './port.ts';
import type { PartitionProcessor, PoisonError } from './processor.ts';
import { Task, type TaskContext, type TaskState } from './task.ts';

/** A stream: one input, its changelogs with the same partitions, and what to do with a partition. */
export type StreamOptions = {
  readonly brokers: readonly string[];
  /** Consumer group, and the first part of the transactional ids. */
  readonly application: string;
  /** Topics by their names on the broker. */
  readonly input: string;
  readonly changelogs: readonly string[];
  readonly createProcessor: (partition: number) => PartitionProcessor;
  readonly deadLetter: (partition: number, record: ConsumedRecord, error: PoisonError) => OutputRecord;
  readonly log: Logger;
  readonly metrics: Registry;
  /** How long a silent process keeps its partitions. Default 10 s. */
  readonly sessionTimeoutMs?: number;
  /** Default: kafkajs. */
  readonly client?: StreamClient;
};

/** A running stream. */
export type Stream = {
  /** True once it is a member of the group and every partition it owns is being processed. */
  ready(): boolean;
  /** Commits what is in hand, leaves the group. */
  stop(): Promise<void>;
};

/** Retaking waits this long after a failure, doubling while it fails again. */
const RETAKE_MS = 100;
const RETAKE_CEILING_MS = 5_000;

/** Runs a stream until it is stopped: it survives brokers that go away, rebalances and records that cannot be processed. */
export async function runStream(options: StreamOptions): Promise<Stream> {
  const runtime = new StreamRuntime(options);
  await runtime.start();
  return { ready: () => runtime.ready(), stop: () => runtime.stop() };
}

class StreamRuntime implements GroupListener {
  readonly #context: TaskContext;
  readonly #tasks = new Map<number, Task>();
  readonly #retakes = new Map<number, { notBefore: number; wait: number }>();
  #joined = false;

  constructor(options: StreamOptions) {
    const { brokers, application, input, changelogs, createProcessor, deadLetter, log } = options;
    const client = options.client ?? openStreamClient({ brokers, clientId: application, log });
    const consumer = client.openGroupConsumer({
      group: application,
      input,
      changelogs,
      sessionTimeoutMs: options.sessionTimeoutMs ?? 10_000,
      listener: this,
    });
    const metrics = streamMetrics(options.metrics);
    this.#context = {
      application,
      input,
      changelogs,
      client,
      consumer,
      createProcessor,
      deadLetter,
      metrics,
      log,
    };
  }

  start(): Promise<void> {
    return this.#context.consumer.start();
  }

  ready(): boolean {
    return this.#joined && [...this.#tasks.values()].every((task) => task.state === 'running');
  }

  async stop(): Promise<void> {
    await this.#context.consumer.stop();
    await Promise.all([...this.#tasks.values()].map((task) => task.close()));
    this.#tasks.clear();
  }

  onAssigned(partitions: readonly number[]): void {
    this.#joined = true;
    this.#context.log.info({ partitions }, 'partitions assigned');
    const mine = new Set(partitions);
    this.#closeAllBut((task) => mine.has(task.partition) && task.state === 'running');
    for (const partition of partitions) {
      const kept = this.#tasks.get(partition);
      if (kept !== undefined) kept.keep();
      else this.#take(partition);
    }
    this.#countTasks();
  }

  onLost(): void {
    this.#joined = false;
    this.#closeAllBut(() => false);
    this.#countTasks();
  }

  onHeartbeat(): void {
    // Only now is it known that a task lost before is still this member's: a fenced one may have a new owner,
    // and taking it back would fence that one in turn.
    const now = performance.now();
    for (const [partition, task] of this.#tasks) {
      const retake = this.#retakes.get(partition);
      if (task.state === 'lost' && (retake === undefined || now >= retake.notBefore)) this.#take(partition);
      else if (task.state === 'running') this.#retakes.delete(partition);
    }
    this.#countTasks();
  }

  async onRecords(
    from: TopicPartition,
    records: readonly ConsumedRecord[],
    endOffset: number,
    stillHere: () => Promise<void>,
  ): Promise<void> {
    await this.#tasks.get(from.partition)?.onRecords(from.topic, records, endOffset, stillHere);
  }

  #closeAllBut(kept: (task: Task) => boolean): void {
    for (const [partition, task] of this.#tasks) {
      if (kept(task)) continue;
      this.#tasks.delete(partition);
      void task.close();
    }
  }

  #take(partition: number): void {
    const before = this.#tasks.get(partition);
    const task = before ?? new Task(partition, this.#context);
    this.#tasks.set(partition, task);
    const wait = Math.min(RETAKE_CEILING_MS, (this.#retakes.get(partition)?.wait ?? RETAKE_MS / 2) * 2);
    this.#retakes.set(partition, { wait, notBefore: performance.now() + wait });
    void task.take();
  }

  #countTasks(): void {
    const states = new Map<TaskState, number>([
      ['taking', 0],
      ['restoring', 0],
      ['running', 0],
      ['lost', 0],
    ]);
    for (const { state } of this.#tasks.values()) states.set(state, (states.get(state) ?? 0) + 1);
    for (const [state, count] of states) this.#context.metrics.tasks.set({ state }, count);
  }
}
