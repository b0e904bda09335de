import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PlayClock, playClock } from './clock.ts';
import { createProvider, type SimulatedProviderOptions } from './provider.ts';

type ServeOptions = Omit<SimulatedProviderOptions, 'clock'> & {
  /** TCP port; 0 selects a free one. */
  readonly port: number;
  readonly host: string;
  /** Duration of the whole play, real seconds, or a multiple of real time. Infinity publishes at once, or as delivered. */
  readonly pace: { readonly seconds: number } | { readonly speed: number };
};

/** A provider that plays by its own clock. */
export type ServedProvider = Awaited<ReturnType<typeof serveProvider>>;

/** Interval between checks of the clock, real milliseconds. */
const CLOCK_POLL_MS = 50;

/** Creates a provider and serves it. Rejects when the port is in use. */
export async function serveProvider(options: ServeOptions) {
  const { pace, port, host } = options;
  let clock: PlayClock | undefined;
  let speed = 1;
  const provider = createProvider({
    ...options,
    clock(timeline) {
      speed = 'speed' in pace ? pace.speed : timeline.length / pace.seconds;
      clock = playClock(timeline.stretches, speed);
      return clock;
    },
  });
  await provider.app.listen({ port, host });
  return {
    provider,
    port: (provider.app.server.address() as AddressInfo).port,
    speed,
    /** Starts the clock. */
    start: () => clock?.start(),
    /** Publishes everything up to `played` seconds of play, on a clock of infinite speed. */
    reach: (played: number) => clock?.reach(played),
    /** Resolves when the clock reaches the last message. Rejects when `signal` is aborted. */
    async allPublished(signal: AbortSignal) {
      while (provider.now() < provider.timeline.endsAt) await sleep(CLOCK_POLL_MS, undefined, { signal });
    },
    close: () => provider.app.close(),
  };
}
