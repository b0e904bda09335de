import type { Registry } from 'prom-client';
import type { Brokers } from '#security/brokers.ts';
import { type MachineClock, machineClock } from '#timing/clock.ts';
import { openStreamClient } from '../client/client.ts';
import type { GroupListener, GroupMember, StreamClient } from '../client/port.ts';
import { RefusedError, type StreamError } from '../errors.ts';
import { LogRecheck } from './log-recheck.ts';
import { streamMetrics } from './metrics.ts';
import { positionsTopic } from './positions.ts';
import { RetrySchedule } from './retry-schedule.ts';
import { ownOutputs, type StreamTopics, type TaskContext } from './stream-topics.ts';
import { Task } from './task.ts';

/** A stream: one input, its changelogs and outputs, and the processor of a partition. */
export type StreamOptions = StreamTopics &
  Pick<TaskContext, 'createProcessor' | 'deadLetter' | 'log' | 'requireTopics'> & {
    readonly brokers: Brokers;
    readonly metrics: Registry;
    /** Session timeout in the group, milliseconds. Default 6,000. */
    readonly sessionTimeoutMs?: number;
    readonly instanceId?: string;
    readonly leaves?: boolean;
    /** Called when another process uses the same instance id; this process must exit. */
    readonly onFenced: (error: StreamError) => void;
    /** Whether to refuse the partition or to continue when unprocessed input was removed. Default: stop. */
    readonly onLostInput?: 'stop' | 'continue';
    readonly client?: StreamClient;
    readonly clock?: MachineClock;
  };

export type Stream = {
  /** Whether the group confirmed this process within a session timeout, and all of its partitions are being processed. */
  ready(): boolean;
  /** Waits up to 2 s for pending commits, then leaves the group. */
  stop(): Promise<void>;
};

/** Interval of checks for failed tasks that are due, while there are any. */
const RETRY_POLL_MS = 50;
/** Minimum interval between checks of the logs of running partitions, and of the settings of the topics. */
const RECHECK_MS = 30_000;

/** Runs a stream until it is stopped. Rejects with `RefusedError` PARTITIONS_DIFFER, and with `StreamError` when no broker responds. */
export async function runStream(options: StreamOptions): Promise<Stream> {
  const { brokers, application, log } = options;
  const client = options.client ?? openStreamClient({ brokers, clientId: application, log });
  try {
    const partitions = await requirePartitions(client, options);
    const runtime = new StreamRuntime(options, client, partitions);
    await runtime.start();
    return runtime;
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Returns the number of the input's partitions. Throws a `RefusedError` that names all topics with another number. */
async function requirePartitions(client: StreamClient, options: StreamOptions): Promise<number> {
  const { application, input, changelogs, outputs } = options;
  const partitions = await client.partitionCount(input);
  const wanted = new Map<string, number>([
    [input, Math.max(1, partitions)],
    [positionsTopic(application), partitions],
    ...changelogs.map((topic) => [topic, partitions] as const),
    ...outputs.map(({ topic, partitions: of }) => [topic, typeof of === 'number' ? of : partitions] as const),
  ]);
  const found = await Promise.all(
    [...wanted.keys()].map((topic) => (topic === input ? partitions : client.partitionCount(topic))),
  );
  const wrong = [...wanted].flatMap(([topic, count], at) => {
    if (found[at] === 0) return `${topic} is missing`;
    return found[at] === count ? [] : `${topic} has ${found[at]} partitions, not ${count}`;
  });
  if (wrong.length === 0) return partitions;
  throw new RefusedError(
    'PARTITIONS_DIFFER',
    `the topics do not fit together: ${wrong.join('; ')}. Missing ones are created with npx touchline topics; for others see ` +
      'docs/guides/operate.md, "A topic with other partitions"',
  );
}

class StreamRuntime implements GroupListener, Stream {
  readonly #context: TaskContext;
  readonly #member: GroupMember;
  readonly #tasks = new Map<number, Task>();
  readonly #closing = new Set<Promise<void>>();
  readonly #retries: RetrySchedule;
  readonly #ending = new AbortController();
  readonly onFenced: (error: StreamError) => void;
  readonly #recheck: LogRecheck;
  #recheckAt = 0;
  readonly #checked = new Map<number, number>();
  #joined = false;
  #isRetrying = false;

  constructor(options: StreamOptions, client: StreamClient, partitions: number) {
    const { application, input, sessionTimeoutMs = 6_000, instanceId, leaves } = options;
    this.#context = {
      ...options,
      positions: positionsTopic(application),
      partitions,
      client,
      clock: options.clock ?? machineClock,
      onLostInput: options.onLostInput ?? 'stop',
      metrics: streamMetrics(options.metrics, () => [...this.#tasks.values()].map(({ state }) => state)),
    };
    const { positions, changelogs } = this.#context;
    this.#recheck = new LogRecheck(client, [positions, ...changelogs, ...ownOutputs(options)]);
    this.#retries = new RetrySchedule(sessionTimeoutMs);
    this.#member = client.openGroupMember({
      group: application,
      topic: input,
      sessionTimeoutMs,
      instanceId,
      leaves,
      listener: this,
    });
    this.onFenced = options.onFenced;
  }

  async start(): Promise<void> {
    try {
      await this.#member.start();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  ready(): boolean {
    const isMember = this.#joined && this.#retries.isConfirmed(this.#context.clock.monotonic());
    return isMember && [...this.#tasks.values()].every((task) => task.state === 'running');
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#joined = false;
    for (const partition of this.#tasks.keys()) this.#release(partition);
    await Promise.all(this.#closing);
    await this.#member.stop();
    await this.#context.client.close();
  }

  /** Releases the tasks of other partitions and claims new ones. Does not touch a task whose partition stays. */
  onAssigned(partitions: readonly number[], sentAt: number): void {
    // A stop leaves the group last, and the group may assign partitions until then.
    if (this.#ending.signal.aborted) return;
    this.#joined = true;
    this.#retries.confirm(sentAt);
    this.#context.log.info({ partitions }, 'partitions assigned');
    const assigned = new Set(partitions);
    for (const partition of this.#tasks.keys()) if (!assigned.has(partition)) this.#release(partition);
    for (const partition of partitions) {
      if (this.#tasks.has(partition)) continue;
      const task = new Task(partition, this.#context, () => void this.#claimFailed());
      this.#tasks.set(partition, task);
      task.claim();
    }
  }

  /** Releases no task: the next owner of a partition fences it. */
  onLost(): void {
    this.#joined = false;
  }

  onHeartbeat(sentAt: number): void {
    const now = this.#context.clock.monotonic();
    this.#retries.confirm(sentAt);
    if (now < this.#recheckAt) return;
    const running = [...this.#tasks.values()].filter(({ state }) => state === 'running');
    if (running.length === 0) return;
    this.#recheckAt = now + RECHECK_MS;
    void this.#recheckRunning(running);
  }

  /** Ends the claims of partitions whose logs, or the settings of a topic, have become wrong. */
  async #recheckRunning(tasks: readonly Task[]): Promise<void> {
    const running = tasks.flatMap(({ partition, committer }) => {
      if (committer === null) return [];
      const { marks, position } = committer;
      const isIdle = this.#checked.get(partition) === position;
      this.#checked.set(partition, position);
      return [{ partition, marks, isIdle }];
    });
    try {
      for (const [partition, doubt] of await this.#recheck.find(running))
        this.#tasks.get(partition)?.doubt(doubt);
      await this.#context.requireTopics?.();
    } catch (error) {
      if (error instanceof RefusedError) for (const task of this.#tasks.values()) task.doubt(error);
      else this.#context.log.debug({ err: error }, 'the logs of running partitions cannot be checked');
    }
  }

  /** Claims failed tasks when they are due, until all tasks run or the stream stops. */
  async #claimFailed(): Promise<void> {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    const { signal } = this.#ending;
    do {
      await this.#context.clock.sleep(RETRY_POLL_MS, signal);
      if (signal.aborted) return;
      const now = this.#context.clock.monotonic();
      for (const task of this.#tasks.values()) if (this.#retries.isDue(task, now)) task.claim();
    } while ([...this.#tasks.values()].some(({ state }) => state !== 'running'));
    this.#isRetrying = false;
  }

  #release(partition: number): void {
    const task = this.#tasks.get(partition);
    if (task === undefined) return;
    this.#tasks.delete(partition);
    this.#retries.forget(partition);
    this.#checked.delete(partition);
    const closing = task.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
