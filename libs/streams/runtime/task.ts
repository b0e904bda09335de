import { FolderError } from '#security/folders.ts';
import { RefusedError, StreamError } from '../errors.ts';
import type { BatchCommitter } from './batch-committer.ts';
import { Incarnation } from './incarnation.ts';
import type { KeptState } from './kept-state.ts';
import type { TaskFailure } from './retry-schedule.ts';
import type { TaskContext } from './stream-topics.ts';
import { Suspects } from './suspects.ts';
import { requireTransition, type TaskState } from './task-state.ts';

/**
 * One input partition in this process: incarnations, one at a time. After a failure the next one opens a new producer and
 * continues from the last commit, with the state in memory if that is proven.
 */
export class Task {
  readonly partition: number;
  readonly #context: TaskContext;
  readonly #onFailure: () => void;
  readonly #suspects = new Suspects();
  #state: TaskState = 'created';
  #incarnation: Incarnation | null = null;
  /** The last logged refusal, as each one is logged once; null without one. */
  #refusal: string | null = null;
  failure: TaskFailure | null = null;
  /** State of a failed claim that the next one may reuse; null without one. */
  #kept: KeptState | null = null;

  constructor(partition: number, context: TaskContext, onFailure: () => void = () => {}) {
    this.partition = partition;
    this.#context = context;
    this.#onFailure = onFailure;
  }

  get state(): TaskState {
    return this.#state;
  }

  /** Null unless the task is running. */
  get committer(): BatchCommitter | null {
    return this.#state === 'running' ? (this.#incarnation?.committer ?? null) : null;
  }

  /** Claims the partition again, within seconds, as its logs may have changed. */
  doubt(error: StreamError | RefusedError): void {
    this.#incarnation?.doubt(error);
  }

  /** Begins an incarnation. Throws when one runs or the task is closed. */
  claim(): void {
    this.#go('claiming');
    const { claims, lostRecords } = this.#context.metrics;
    claims.inc({ partition: this.partition });
    lostRecords.inc({ partition: this.partition }, 0);
    const incarnation = new Incarnation(this.partition, this.#context, this.#suspects, this.#kept);
    this.#kept = null;
    this.#incarnation = incarnation;
    const isCurrent = () => this.#incarnation === incarnation;
    void incarnation
      .run((step) => {
        if (isCurrent()) this.#go(step);
      })
      .catch((error: unknown) => {
        if (!isCurrent()) {
          incarnation.reusable?.processor.close();
          return;
        }
        this.#kept = incarnation.reusable;
        this.#fail(error);
        this.#onFailure();
      });
  }

  /** Releases the partition. Resolves when no work on it is left. */
  async close(): Promise<void> {
    const incarnation = this.#incarnation;
    if (this.#state !== 'closed') this.#go('closed');
    this.#incarnation = null;
    this.#removeGauges();
    this.#kept?.processor.close();
    this.#kept = null;
    await incarnation?.close();
  }

  #go(to: TaskState): void {
    requireTransition(this.#state, to);
    this.#state = to;
    if (to === 'running') this.#refusal = null;
  }

  #fail(error: unknown): void {
    const { clock, metrics, log } = this.#context;
    this.#incarnation = null;
    const isKnown =
      error instanceof RefusedError || error instanceof StreamError || error instanceof FolderError;
    const code = isKnown ? error.code : 'PROCESSING_FAILED';
    this.failure = { code, at: clock.monotonic(), hasProgress: this.#suspects.takeProgress() };
    this.#removeGauges();
    metrics.failures.inc({ code });
    if (error instanceof RefusedError) {
      this.#go('refused');
      if (error.message !== this.#refusal) log.error({ partition: this.partition, code }, error.message);
      this.#refusal = error.message;
      return;
    }
    this.#go('failed');
    const fields = { partition: this.partition, code, err: error };
    const text = 'the task failed and is claimed again';
    if (error instanceof StreamError) log.warn(fields, text);
    else log.error(fields, text);
  }

  #removeGauges(): void {
    const { lag, undecided, undecidedSeconds, stateSize } = this.#context.metrics;
    for (const gauge of [lag, undecided, undecidedSeconds, stateSize])
      gauge.remove({ partition: this.partition });
  }
}
