import { setTimeout as delay } from 'node:timers/promises';
import { FAULT_TIMEOUT_MS } from './harness.ts';
import type { PipelineConnection } from './pipeline.ts';
import { untilTrue } from './poll.ts';
import type { TestService } from './processes.ts';
import { startDispatcher } from './webhooks.ts';

/** Two dispatchers with different names; one of them is killed and started again until `end`. */
export class KilledDispatchers {
  readonly #connection: PipelineConnection;
  readonly kills: number[] = [];
  readonly #processes: TestService[] = [];
  #isEnding = false;
  #running: Promise<void> = Promise.resolve();

  constructor(connection: PipelineConnection) {
    this.#connection = connection;
  }

  async start(): Promise<void> {
    for (const at of [0, 1]) this.#processes[at] = await this.#startOne(at);
    await Promise.all(this.#processes.map((one) => one.ready()));
  }

  killOneAfterAnother(random: () => number): void {
    this.#running = (async () => {
      for (let at = 0; !this.#isEnding; at = 1 - at) {
        await delay(300 + random() * 1_200);
        this.kills.push(Date.now());
        await this.#processes[at]?.kill();
        this.#processes[at] = await this.#startOne(at);
        await this.#processes[at]?.ready();
      }
    })();
    this.#running.catch(() => {});
  }

  /** Stops after this number of kills. */
  async end(kills: number): Promise<void> {
    await Promise.race([
      untilTrue('all kills are done', () => this.kills.length >= kills, FAULT_TIMEOUT_MS),
      this.#running,
    ]);
    this.#isEnding = true;
    await this.#running;
  }

  #startOne(at: number): Promise<TestService> {
    return startDispatcher(this.#connection, {
      GROUP_INSTANCE_ID: `${this.#connection.prefix}dispatcher-${at}`,
      // Long enough that the dispatcher is back before, so that no partition moves.
      SESSION_TIMEOUT_MS: '20000',
      // Long enough to read an answer on a busy machine.
      WEBHOOK_TIMEOUT_MS: '2000',
    });
  }
}
