import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { type PlayClock, playClock } from './clock.ts';
import { restMetrics } from './metrics.ts';
import { createProvider, type SimulatedProviderOptions } from './provider.ts';

/** How a provider is served. */
export type ServeOptions = Omit<SimulatedProviderOptions, 'clock' | 'onFault' | 'onAnswer'> & {
  /** TCP port; 0 takes a free one. */
  readonly port: number;
  readonly host: string;
  /** Real seconds for everything; else a multiple of real time. Infinity publishes at once, or as delivered. */
  readonly pace: { readonly seconds: number } | { readonly speed: number };
};

/** A provider that plays by its own clock. */
export type ServedProvider = Awaited<ReturnType<typeof serveProvider>>;

/** Counts of the REST interface. */
export type RestSummary = {
  /** Answers by status. */
  readonly answers: Readonly<Record<string, number>>;
  /** Faults by name. */
  readonly faults: Readonly<Record<string, number>>;
};

/** Poll period of the clock, real milliseconds. */
const LOOK_EVERY = 50;

/** Makes a provider and serves it. Rejects where the port is taken. */
export async function serveProvider(options: ServeOptions, metrics: Registry) {
  const { pace, port, host } = options;
  let clock: PlayClock | undefined;
  let speed = 1;
  const counts = restMetrics(metrics, () => clock?.now() ?? 0);
  const provider = createProvider({
    ...options,
    onFault: counts.onFault,
    onAnswer: counts.onAnswer,
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
    summary: (): RestSummary => ({ answers: counts.answers(), faults: provider.faults.counts }),
    close: () => provider.app.close(),
  };
}
