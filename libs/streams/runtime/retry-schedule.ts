import type { TaskState } from './task-state.ts';

type RetriedTask = {
  readonly partition: number;
  readonly state: TaskState;
  /** The last failure; null without one. */
  readonly failure: TaskFailure | null;
};

export type TaskFailure = {
  /** Code of the task's error. */
  readonly code: string;
  /** Time of the failure, on the monotonic clock. */
  readonly at: number;
  /** Whether the failure changes the next attempt, as it gave new information on a record. */
  readonly hasProgress: boolean;
};

/** Wait after the first failure. Each further failure doubles it, up to a ceiling. */
const FIRST_RETRY_MS = 100;
const RETRY_CEILING_MS = 5_000;
const REFUSED_CEILING_MS = 30_000;

/**
 * Schedules when failed tasks are claimed again, monotonic milliseconds: only while the group keeps this member, as a claim would
 * fence a new owner; a fenced task after a request that was confirmed since.
 */
export class RetrySchedule {
  readonly #sessionTimeoutMs: number;
  readonly #retries = new Map<number, { at: number; wait: number }>();
  #confirmedAt = Number.NEGATIVE_INFINITY;

  constructor(sessionTimeoutMs: number) {
    this.#sessionTimeoutMs = sessionTimeoutMs;
  }

  /** Records that the group confirmed this member. `sentAt`: when the confirmed request was sent. */
  confirm(sentAt: number): void {
    this.#confirmedAt = sentAt;
  }

  /** Whether the group confirmed this member within the last session timeout. Otherwise others may own its partitions. */
  isConfirmed(now: number): boolean {
    return now < this.#confirmedAt + this.#sessionTimeoutMs;
  }

  /** Whether the task is to be claimed now. A true result counts as an attempt. */
  isDue(task: RetriedTask, now: number): boolean {
    const { partition, state, failure } = task;
    if (state === 'running') this.#retries.delete(partition);
    if ((state !== 'failed' && state !== 'refused') || failure === null) return false;
    const retry = this.#retries.get(partition) ?? { at: failure.at + FIRST_RETRY_MS, wait: FIRST_RETRY_MS };
    this.#retries.set(partition, retry);
    if (now < retry.at || !this.#isOurs(failure, now)) return false;
    const ceiling = state === 'refused' ? REFUSED_CEILING_MS : RETRY_CEILING_MS;
    const wait = failure.hasProgress ? FIRST_RETRY_MS : Math.min(ceiling, retry.wait * 2);
    this.#retries.set(partition, { at: now + wait, wait });
    return true;
  }

  forget(partition: number): void {
    this.#retries.delete(partition);
  }

  #isOurs({ code, at }: TaskFailure, now: number): boolean {
    return this.isConfirmed(now) && (code !== 'FENCED' || this.#confirmedAt > at);
  }
}
