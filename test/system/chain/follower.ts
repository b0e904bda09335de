/** A poller behind its own proxy, with its system, for tests of outages. */
import type { ManualProvider } from '../../../services/simulator/rest/testing/manual-provider.ts';
import { untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { System } from '../../support/system.ts';
import { FaultyProxy } from './faulty-proxy.ts';

export const MINUTE = 60;
/** The client of the provider. */
export const CLIENT = { id: '1', secret: 'a-secret-key-for-tests' };

/** A poller behind its own proxy, with its system. */
export class OutageFollower {
  readonly system: System;
  readonly way: FaultyProxy;
  poller: TestService;
  /** All pollers so far, including the current one. */
  readonly #pollers: TestService[] = [];

  private constructor(system: System, way: FaultyProxy) {
    this.system = system;
    this.way = way;
    this.poller = this.start();
  }

  /** Starts a system whose poller follows the provider at `url`. */
  static async create(url: string, seed: number): Promise<OutageFollower> {
    const [system, way] = await Promise.all([System.create(), FaultyProxy.start(seed)]);
    way.targets = [url];
    const follower = new OutageFollower(system, way);
    await follower.poller.ready();
    return follower;
  }

  start(settings: Readonly<Record<string, string>> = {}): TestService {
    this.poller = this.system.startPoller({ url: this.way.url, client: CLIENT }, settings);
    this.#pollers.push(this.poller);
    return this.poller;
  }

  /**
   * Returns the checkpoints from which the pollers resumed, Unix seconds: after a kill, and after a silence that lost
   * the leadership.
   */
  resumed(): number[] {
    const [, ...terms] = this.#pollers.flatMap(({ lines }) =>
      lines.filter((line) => line.includes('polling from the checkpoint')),
    );
    return terms.map((line) => JSON.parse(line).feed ?? 0);
  }

  /** Waits until the feed is read up to the provider's current time, Unix seconds. */
  async readTo(time: number): Promise<void> {
    const since = Date.now() / 1000;
    await untilTrue('the feed is read', () =>
      this.way.passedSince('/v2/feed', since).some(({ query }) => Number(query.get('timestamp_to')) >= time),
    );
  }

  /** Returns the last checkpoint of the feed, Unix seconds. */
  async checkpoint(): Promise<number> {
    let position = 0;
    await this.system.pipeline.read('poller-checkpoints', (one) => {
      if (one.resource === 'feed') position = one.position;
    });
    return position;
  }

  /** Returns the published messages of the feed in order, each as its id and time. */
  async published(): Promise<string[]> {
    const keys: string[] = [];
    await this.system.pipeline.read('normalized-messages', ({ message_id, ut, type }) => {
      if (type !== 'incident_snapshot' && !message_id.startsWith('event/')) keys.push(`${message_id} ${ut}`);
    });
    return keys;
  }
}

/** Returns the key by which published messages are compared. */
export function keyOf({ id, ut }: { readonly id: unknown; readonly ut: number }): string {
  return `${id} ${ut}`;
}

/** Whether the provider's result of a finished match is verified. */
export function isVerified({ verified_result }: { readonly verified_result: boolean | null }): boolean {
  return verified_result === true;
}

/** A step of the provider's time while matches are played, and between them, seconds. */
const PLAY_STEP = 4 * MINUTE;
const PAUSE_STEP = 60 * MINUTE;

/** Advances the provider's time in steps, so that the followers keep up. */
export async function advance(
  provider: ManualProvider,
  to: number,
  followers: readonly OutageFollower[],
): Promise<void> {
  const { stretches, endsAt } = provider.timeline;
  for (let now = provider.now(); now < to; ) {
    const next = stretches.find((stretch) => stretch.endsAt >= now);
    const isPlayed = next !== undefined && next.startsAt <= now + PLAY_STEP;
    // Skips the time after the last message.
    const step = now > endsAt ? Number.POSITIVE_INFINITY : isPlayed ? PLAY_STEP : PAUSE_STEP;
    now = Math.min(to, now + step, isPlayed ? to : (next?.startsAt ?? to));
    provider.advanceTo(now);
    await Promise.all(followers.map((follower) => follower.readTo(now)));
  }
}
