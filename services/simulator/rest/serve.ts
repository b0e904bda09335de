import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PlayClock, playClock } from './clock.ts';
import { createProvider, type SimulatedProviderOptions } from './provider.ts';

export type ServeOptions = Omit<SimulatedProviderOptions, 'clock'> & {
  /** TCP port; 0 takes a free one. */
  readonly port: number;
  readonly host: string;
  /** Real seconds for everything; else a multiple of real time. Infinity publishes at once, or as delivered. */
  readonly pace: { readonly seconds: number } | { readonly speed: number };
};

/** A provider that plays by its own clock. */
export type ServedProvider = Awaited<ReturnType<typeof serveProvider>>;

/** Poll period of the clock, real milliseconds. */
const LOOK_EVERY = 50;

/** Makes a provider and serves it. Rejects where the port is taken. */
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
    /** Lets the clock run. */
    start: () => clock?.start(),
    /** For a clock of infinite speed: everything up to `played` seconds of play is published. */
    reach: (played: number) => clock?.reach(played),
    /** Resolves when the clock has passed the last message. Rejects when the signal is aborted. */
    async allPublished(signal: AbortSignal) {
      while (provider.now() < provider.timeline.endsAt) await sleep(LOOK_EVERY, undefined, { signal });
    },
    close: () => provider.app.close(),
  };
}
