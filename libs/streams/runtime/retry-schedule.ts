import type { TaskState } from './task-state.ts';

/** What the schedule looks at of a task. */
export type Retried = {
  readonly partition: number;
  readonly state: TaskState;
  /** The last failure; null before the first one. */
  readonly failure: TaskFailure | null;
};

export type TaskFailure = {
  /** Of the error that the task failed with. */
  readonly code: string;
  /** On the clock that the schedule is asked with. */
  readonly at: number;
  /** Whether it lay in a record and said something new of it: another try goes differently. */
  readonly hasLearned: boolean;
};

/** A failed task waits this long, and twice as long each time it fails again, up to a ceiling. */
const FIRST_RETRY_MS = 100;
const RETRY_CEILING_MS = 5_000;
const REFUSED_CEILING_MS = 30_000;

/**
 * When tasks that failed are claimed again: the one scheduler of all retries. Times are milliseconds of one clock.
 *
 * A partition may have another owner by now, and claiming it would fence that one in turn. So a task that was fenced waits until
 * the group has counted this member after that; any other one is this member's for as long as the group keeps it: a session
 * timeout from its last heartbeat on.
 */
export class RetrySchedule {
  readonly #sessionTimeoutMs: number;
  readonly #retries = new Map<number, { at: number; wait: number }>();
  #heardAt = Number.NEGATIVE_INFINITY;

  constructor(sessionTimeoutMs: number) {
    this.#sessionTimeoutMs = sessionTimeoutMs;
  }

  /** The group counts this member. */
  heard(now: number): void {
    this.#heardAt = now;
  }

  /** Whether the task is to be claimed now; it is then, and counts as tried. */
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
    return code === 'FENCED' ? this.#heardAt > at : now < this.#heardAt + this.#sessionTimeoutMs;
  }
}
