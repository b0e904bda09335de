import { openStreamClient } from '#streams/client/client.ts';
import { runStream, type Stream, type StreamOptions } from '#streams/runtime/stream.ts';
import type { MachineClock } from '#timing/clock.ts';
import type { Cluster } from '../broker/cluster.ts';
import { bootstrap } from '../client/network.ts';
import { Registry } from '../world/metrics.ts';
import { delay } from '../world/timers.ts';
import type { Process, World } from '../world/world.ts';
import type { Checks } from './checks.ts';
import { APPLICATION, CountingProcessor, TOPICS } from './counting.ts';
import type { MembershipChecks } from './membership-checks.ts';

export const SESSION_MS = 6_000;
/** Delay before a process that ended by itself starts again, as a supervisor does. */
const RESTART_MS = 1_000;
/** Timers below this are up to `LATE_MS` late. */
const SHORT_MS = 100;
const LATE_MS = 250;
const CLAIMS = 'touchline_claims_total';

type ProcessOptions = {
  readonly checks: Checks;
  readonly membership: MembershipChecks;
  readonly isStatic: boolean;
  readonly isKept: boolean;
};

/** A process of the stream with a fixed name, which faults kill, pause, stop and start again. */
export class ProcessorProcess {
  readonly name: string;
  readonly #cluster: Cluster;
  readonly #of: ProcessOptions;
  /** Instance id, in seeds with static members. */
  readonly #name: { readonly instanceId?: string; readonly leaves?: boolean };
  #process: Process | null = null;
  #stream: Stream | null = null;
  #starts = 0;

  constructor(name: string, cluster: Cluster, of: ProcessOptions) {
    this.name = name;
    this.#cluster = cluster;
    this.#of = of;
    this.#name = of.isStatic ? { instanceId: name, leaves: cluster.world.random.chance(0.5) } : {};
  }

  get #world(): World {
    return this.#cluster.world;
  }

  get isRunning(): boolean {
    return this.#process !== null;
  }

  get isReady(): boolean {
    const process = this.#process;
    return process !== null && this.#world.runAs(process, () => this.#stream?.ready() === true);
  }

  start(): void {
    if (this.#process !== null) return;
    this.#starts += 1;
    const process = this.#world.start(`${this.name}.${this.#starts}`);
    this.#process = process;
    this.#world.note(process.name, 'starts');
    this.#world.deliver(process, 0, () => void this.#run(process));
  }

  /** Kills the process like SIGKILL. Requests that it has sent still arrive. */
  kill(): void {
    if (this.#process === null) return;
    this.#world.note(this.#process.name, 'is killed');
    this.#of.checks.onEnd();
    this.#process.isAlive = false;
    this.#process = null;
    this.#stream = null;
  }

  /** Pauses the process like SIGSTOP, and SIGCONT after `ms`. */
  pause(ms: number): void {
    if (this.#process === null) return;
    this.#world.note(this.#process.name, `is paused for ${Math.round(ms)} ms`);
    this.#process.pausedUntil = this.#world.now + ms;
  }

  /** Pauses the process at its next request, or at its next request called `name`. */
  pauseAtRequest(ms: number, name: string | null): void {
    if (this.#process !== null) this.#process.pauseAtRequest = { ms, name };
  }

  stepClock(ms: number): void {
    if (this.#process === null) return;
    this.#world.note(this.#process.name, `has its clock stepped by ${Math.round(ms)} ms`);
    this.#process.wallOffsetMs += ms;
  }

  /** Stops the stream like SIGTERM, then ends the process. */
  stop(): void {
    const process = this.#process;
    const stream = this.#stream;
    if (process === null || stream === null) {
      this.kill();
      return;
    }
    this.#world.note(process.name, 'is stopped');
    this.#world.deliver(process, 0, () => {
      void stream.stop().then(() => {
        this.#world.note(process.name, 'has stopped');
        if (this.#process === process) this.kill();
      });
    });
  }

  async #run(process: Process): Promise<void> {
    const log = this.#logOf(process);
    try {
      this.#stream = await runStream({
        brokers: bootstrap(this.#cluster),
        application: APPLICATION,
        input: TOPICS.input,
        changelogs: [TOPICS.counts],
        outputs: [
          { topic: TOPICS.output, partitions: 'own' },
          { topic: TOPICS.letters, partitions: 1 },
        ],
        createProcessor: (partition) => new CountingProcessor(partition, this.#of.isKept),
        deadLetter: (partition, { offset }) => {
          this.#of.checks.fail(`partition ${partition} sends the record at ${offset} to the dead letters`);
          return { topic: TOPICS.letters, partition: 0, key: String(offset), value: null };
        },
        log,
        metrics: this.#metricsOf(process),
        sessionTimeoutMs: SESSION_MS,
        ...this.#name,
        onFenced: () => {
          this.#world.note(process.name, 'is fenced, and ends');
          this.#restart(process);
        },
        client: openStreamClient({ brokers: bootstrap(this.#cluster), clientId: this.name, log }),
        clock: clockOf(process),
      });
    } catch (error) {
      this.#world.note(process.name, `does not start: ${error}`);
      this.#restart(process);
    }
  }

  #restart(process: Process): void {
    if (this.#process === process) this.kill();
    this.#world.after(RESTART_MS, () => this.start());
  }

  #metricsOf(process: Process): StreamOptions['metrics'] {
    const registry = new Registry();
    registry.onCount = (name, { partition }) => {
      if (name === CLAIMS) this.#of.membership.onClaim(process, Number(partition));
    };
    return registry as unknown as StreamOptions['metrics'];
  }

  #logOf(process: Process) {
    const { name } = process;
    const world = this.#world;
    const write = (level: string, fields: object, message: string): void => {
      if (world.history === null) return;
      const { err, ...rest } = fields as { err?: unknown };
      world.note(name, `${level} ${message} ${JSON.stringify(rest)}${err === undefined ? '' : ` ${err}`}`);
    };
    return {
      debug() {},
      info: (fields: object, message: string) => write('info', fields, message),
      warn: (fields: object, message: string) => {
        write('warn', fields, message);
        const { partition, code } = fields as { partition?: number; code?: string };
        if (partition !== undefined && code === 'FENCED') this.#of.membership.onFenced(process, partition);
      },
      error: (fields: object, message: string) => {
        write('error', fields, message);
        const { partition, code, err } = fields as { partition?: number; code?: string; err?: unknown };
        if (partition === undefined || code === undefined) return;
        const stack = err instanceof Error ? err.stack : err;
        if (code === 'PROCESSING_FAILED') this.#of.checks.fail(`partition ${partition} fails: ${stack}`);
        else if (err === undefined && code !== 'TRANSACTION_OPEN') this.#of.checks.onRefusal(partition, code);
      },
    };
  }
}

function clockOf(process: Process): MachineClock {
  const { world } = process;
  return {
    monotonic: () => world.now,
    unix: () => world.unixMs() + process.wallOffsetMs,
    sleep: (ms, signal) =>
      delay(ms < SHORT_MS ? ms + world.random.between(0, LATE_MS) : ms, undefined, { signal }).catch(
        () => {},
      ),
  };
}
