import type { TaskState } from './task-state.ts';

/** The part of a task that the schedule reads. */
export type Retried = {
  readonly partition: number;
  readonly state: TaskState;
  /** The last failure; null without one. */
  readonly failure: TaskFailure | null;
};

export type TaskFailure = {
  /** Code of the task's error. */
  readonly code: string;
  /** On the clock of the schedule's calls. */
  readonly at: number;
  /** Whether it gave new information on a record: the next attempt differs. */
  readonly hasLearned: boolean;
};

/** A failed task waits this long, then twice as long after each failure, up to a ceiling. */
const FIRST_RETRY_MS = 100;
const RETRY_CEILING_MS = 5_000;
const REFUSED_CEILING_MS = 30_000;

/**
 * When failed tasks are claimed again: the one scheduler of all retries. Times are milliseconds of one clock.
 *
 * A partition may have a new owner, whom a claim would fence. A task belongs to this member while the group keeps it: for a
 * session timeout after the last request that the group confirmed. A fenced task needs one that was sent after that.
 */
export class RetrySchedule {
  readonly #sessionTimeoutMs: number;
  readonly #retries = new Map<number, { at: number; wait: number }>();
  #heardAt = Number.NEGATIVE_INFINITY;

  constructor(sessionTimeoutMs: number) {
    this.#sessionTimeoutMs = sessionTimeoutMs;
  }

  /** The group confirmed this member by its answer to a request that was sent then. */
  heard(sentAt: number): void {
    this.#heardAt = sentAt;
  }

  /** Whether the group confirmed this member within the last session timeout: beyond it, it may have given its partitions to others. */
  isHeard(now: number): boolean {
    return now < this.#heardAt + this.#sessionTimeoutMs;
  }

  /** Whether the task is to be claimed now; true counts as an attempt. */
  isDue(task: Retried, now: number): boolean {
    const { partition, state, failure } = task;
    if (state === 'running') this.#retries.delete(partition);
    if ((state !== 'failed' && state !== 'refused') || failure === null) return false;
    const retry = this.#retries.get(partition) ?? { at: failure.at + FIRST_RETRY_MS, wait: FIRST_RETRY_MS };
    this.#retries.set(partition, retry);
    if (now < retry.at || !this.#isOurs(failure, now)) return false;
    const ceiling = state === 'refused' ? REFUSED_CEILING_MS : RETRY_CEILING_MS;
    const wait = failure.hasLearned ? FIRST_RETRY_MS : Math.min(ceiling, retry.wait * 2);
    this.#retries.set(partition, { at: now + wait, wait });
    return true;
  }

  /** The task was released. */
  forget(partition: number): void {
    this.#retries.delete(partition);
  }

  #isOurs({ code, at }: TaskFailure, now: number): boolean {
    return this.isHeard(now) && (code !== 'FENCED' || this.#heardAt > at);
  }
}
