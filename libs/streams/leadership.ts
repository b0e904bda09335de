import { hostname } from 'node:os';
import { defineError } from '#errors/touchline-error.ts';
import type { MachineClock } from '#timing/clock.ts';
import type { GroupListener, GroupMember, GroupOptions, StreamClient } from './client/port.ts';
import type { StreamError } from './errors.ts';
import type { Logger } from './log.ts';

/** Thrown when this process no longer leads and must not publish. */
class LeadershipLostError extends defineError('LeadershipLostError', 'LEADERSHIP_LOST') {}

/** A period in which this process leads, as far as it knows. */
export type LeadershipTerm = {
  readonly signal: AbortSignal;
  /** Throws `LeadershipLostError` when the term is over or the last heartbeat is older than the session timeout. */
  requireTerm(): void;
};

export type LeadershipOptions = Pick<
  GroupOptions,
  'group' | 'topic' | 'sessionTimeoutMs' | 'instanceId' | 'leaves'
> & {
  readonly client: Pick<StreamClient, 'openGroupMember'>;
  /** Called when another process uses the same instance id; this process must exit. */
  readonly onFenced: (error: StreamError) => void;
  readonly clock: Pick<MachineClock, 'monotonic' | 'sleep'>;
  /** Leads a partition until the term is over. Called again after it returns, while this process still leads it. */
  readonly lead: (term: LeadershipTerm, partition: number) => Promise<void>;
  /** Number of partitions of the control topic that have a leader each. Default 1. */
  readonly partitions?: number;
  /** Whether this process keeps leading while the group is unreachable: for leaders whose late writes are harmless. */
  readonly outlastsOutages?: boolean;
  /** Called on each change: 1 when this process leads, 0 when it stands by. Default: does nothing. */
  readonly onChange?: (leads: 0 | 1) => void;
  readonly log: Logger;
};

/** A heartbeat also brings a new assignment: a new leader may start that much later. */
const HEARTBEAT_MS = 1_000;
/** Pause before a new term after a failed one. */
const RETRY_MS = 1_000;

/**
 * Elects the leader of each partition of a control topic: its owner in a consumer group. A disconnected process publishes only
 * while its last heartbeat is younger than the session timeout; one publish in flight may be late, which is harmless.
 */
export class Leadership implements GroupListener {
  readonly onFenced: LeadershipOptions['onFenced'];
  readonly #options: LeadershipOptions;
  readonly #member: GroupMember;
  readonly #stopping = new AbortController();
  /** The partitions that the group has assigned to this process. */
  owned: ReadonlySet<number> = new Set();
  /** Whether this process is a member of the group, and so leads or stands by. */
  joined = false;
  #heartbeatAt = Number.NEGATIVE_INFINITY;
  readonly #terms = new Map<number, { readonly over: AbortController; readonly ended: Promise<void> }>();

  constructor(options: LeadershipOptions) {
    this.#options = options;
    this.onFenced = options.onFenced;
    this.#member = options.client.openGroupMember({ ...options, heartbeatMs: HEARTBEAT_MS, listener: this });
  }

  /** Joins the group. Rejects when the broker is unreachable. */
  start(): Promise<void> {
    return this.#member.start();
  }

  /** Ends the terms, waits for their work, and leaves the group, so that another candidate leads at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#endAll();
    await this.#member.stop();
    this.#options.onChange?.(0);
  }

  onAssigned(partitions: readonly number[], sentAt: number): void {
    const { partitions: led = 1, log, onChange } = this.#options;
    this.joined = true;
    this.owned = new Set(partitions.filter((partition) => partition < led));
    this.#heartbeatAt = sentAt;
    onChange?.(this.owned.size > 0 ? 1 : 0);
    if (this.owned.size === 0) log.info({}, 'another process leads, this one stands by');
    for (const partition of this.#terms.keys()) if (!this.owned.has(partition)) void this.#end(partition);
    this.#beginAll();
  }

  onLost(): void {
    this.joined = false;
    this.owned = new Set();
    if (this.#options.outlastsOutages === true && this.#terms.size > 0) return;
    this.#options.onChange?.(0);
    void this.#endAll();
  }

  onHeartbeat(sentAt: number): void {
    this.#heartbeatAt = sentAt;
    this.#beginAll();
  }

  #beginAll(): void {
    if (this.#stopping.signal.aborted) return;
    for (const partition of this.owned) if (!this.#terms.has(partition)) this.#begin(partition);
  }

  #begin(partition: number): void {
    const over = new AbortController();
    const { lead, clock, sessionTimeoutMs, log } = this.#options;
    const term: LeadershipTerm = {
      signal: over.signal,
      requireTerm: () => {
        const silent = clock.monotonic() - this.#heartbeatAt > sessionTimeoutMs;
        if (silent) over.abort();
        if (over.signal.aborted) throw new LeadershipLostError('this process no longer leads');
      },
    };
    log.info({ partition }, 'this process leads');
    const ended = lead(term, partition)
      .catch(async (error: unknown) => {
        if (over.signal.aborted || this.#stopping.signal.aborted) return;
        log.warn({ partition, err: error }, 'leading failed, a new term begins');
        await clock.sleep(RETRY_MS, AbortSignal.any([over.signal, this.#stopping.signal]));
      })
      .then(() => {
        // The next heartbeat starts a new term if this process still leads.
        this.#terms.delete(partition);
        if (this.owned.size === 0) this.#options.onChange?.(0);
      });
    this.#terms.set(partition, { over, ended });
  }

  async #end(partition: number): Promise<void> {
    const term = this.#terms.get(partition);
    term?.over.abort();
    await term?.ended;
  }

  async #endAll(): Promise<void> {
    await Promise.all(Array.from(this.#terms.keys(), (partition) => this.#end(partition)));
  }
}

const MAX_HOST_LENGTH = 200;

/** Returns a process's name in its groups (KIP-345): GROUP_INSTANCE_ID, else host and service, the same after a restart there. */
export function instanceId(service: string, given = ''): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, MAX_HOST_LENGTH);
  return given === '' ? `${host}-${service}` : given;
}
