import { hostname } from 'node:os';
import { defineError } from '#errors/touchline-error.ts';
import type { MachineClock } from '#timing/clock.ts';
import type { GroupListener, GroupMember, GroupOptions, StreamClient } from './client/port.ts';
import type { StreamError } from './errors.ts';
import type { Logger } from './log.ts';

/** Thrown when this process no longer leads and must not publish. */
class LeadershipLostError extends defineError('LeadershipLostError', () => [
  'LEADERSHIP_LOST',
  'this process no longer leads',
]) {}

/** A period in which this process leads, as far as it knows. */
export type LeadershipTerm = {
  /** Aborted when the term is over. */
  readonly signal: AbortSignal;
  /** Throws `LeadershipLostError` when the term is over or the last heartbeat is older than the session timeout. */
  requireTerm(): void;
};

export type LeadershipOptions = Pick<GroupOptions, 'group' | 'topic' | 'sessionTimeoutMs' | 'instanceId'> & {
  readonly client: Pick<StreamClient, 'openGroupMember'>;
  /** Called when another process uses the same instance id; this process must exit. */
  readonly onFenced: (error: StreamError) => void;
  readonly clock: Pick<MachineClock, 'monotonic' | 'sleep'>;
  /** Leads until the term is over. Called again after it returns, while this process still leads. */
  readonly lead: (term: LeadershipTerm) => Promise<void>;
  /**
   * Whether this process keeps leading while the group is unreachable, until the group assigns the partition to another
   * process. For leaders whose late writes are harmless, but whose absence after an outage is not.
   */
  readonly outlastsOutages?: boolean;
  /** Called on each change: 1 when this process leads, 0 when it stands by. */
  readonly onChange: (leads: 0 | 1) => void;
  readonly log: Logger;
};

/** A heartbeat also brings a new assignment: a new leader may start that much later. */
const HEARTBEAT_MS = 1_000;
/** Pause before a new term after a failed one. */
const RETRY_MS = 1_000;

/**
 * Elects one leader: the owner of partition 0 of the control topic in a consumer group.
 *
 * A paused or disconnected process does not learn that another one leads. So it publishes only while its last heartbeat is
 * younger than the session timeout, as the group does not reassign its partition earlier. A publish in flight at that moment
 * may still be written; this is harmless, since messages are facts with their own time.
 */
export class Leadership implements GroupListener {
  readonly onFenced: LeadershipOptions['onFenced'];
  readonly #options: LeadershipOptions;
  readonly #member: GroupMember;
  readonly #stopping = new AbortController();
  #owns = false;
  #joined = false;
  #heartbeatAt = Number.NEGATIVE_INFINITY;
  #term: { readonly over: AbortController; readonly ended: Promise<void> } | null = null;

  constructor(options: LeadershipOptions) {
    this.#options = options;
    this.onFenced = options.onFenced;
    const { group, topic, sessionTimeoutMs, instanceId } = options;
    this.#member = options.client.openGroupMember({
      group,
      topic,
      sessionTimeoutMs,
      instanceId,
      heartbeatMs: HEARTBEAT_MS,
      listener: this,
    });
  }

  /** Whether this process is a member of the group, and so leads or stands by. */
  get joined(): boolean {
    return this.#joined;
  }

  /** Joins the group. Rejects when the broker is unreachable. */
  start(): Promise<void> {
    return this.#member.start();
  }

  /** Ends the term, waits for its work, and leaves the group, so that another candidate leads at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#end();
    await this.#member.stop();
    this.#options.onChange(0);
  }

  onAssigned(partitions: readonly number[], sentAt: number): void {
    this.#joined = true;
    this.#owns = partitions.includes(0);
    this.#heartbeatAt = sentAt;
    this.#options.onChange(this.#owns ? 1 : 0);
    if (this.#owns) this.#begin();
    else {
      this.#options.log.info({}, 'another process leads, this one stands by');
      void this.#end();
    }
  }

  onLost(): void {
    this.#joined = false;
    this.#owns = false;
    if (this.#options.outlastsOutages === true && this.#term !== null) return;
    this.#options.onChange(0);
    void this.#end();
  }

  onHeartbeat(sentAt: number): void {
    this.#heartbeatAt = sentAt;
    if (this.#owns) this.#begin();
  }

  /** Starts a term unless one is running. */
  #begin(): void {
    if (this.#term !== null || this.#stopping.signal.aborted) return;
    const over = new AbortController();
    const { lead, clock, sessionTimeoutMs, log } = this.#options;
    const term: LeadershipTerm = {
      signal: over.signal,
      requireTerm: () => {
        const silent = clock.monotonic() - this.#heartbeatAt > sessionTimeoutMs;
        if (silent) over.abort();
        if (over.signal.aborted) throw new LeadershipLostError();
      },
    };
    log.info({}, 'this process leads');
    const ended = lead(term)
      .catch(async (error: unknown) => {
        if (over.signal.aborted || this.#stopping.signal.aborted) return;
        log.warn({ err: error }, 'leading failed, a new term begins');
        await clock.sleep(RETRY_MS, AbortSignal.any([over.signal, this.#stopping.signal]));
      })
      .then(() => {
        // The next heartbeat starts a new term if this process still leads.
        this.#term = null;
        if (!this.#owns) this.#options.onChange(0);
      });
    this.#term = { over, ended };
  }

  async #end(): Promise<void> {
    const term = this.#term;
    if (term === null) return;
    term.over.abort();
    await term.ended;
  }
}

const MAX_HOST_LENGTH = 200;

/**
 * Returns the name of a process in its groups (KIP-345): GROUP_INSTANCE_ID, else host and service. In a container the host is
 * the container or pod, so only a process restarted in the same one keeps its name.
 */
export function instanceId(service: string, given = ''): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, MAX_HOST_LENGTH);
  return given === '' ? `${host}-${service}` : given;
}
