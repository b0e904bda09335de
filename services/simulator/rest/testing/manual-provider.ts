/** For tests: a provider whose clock the test sets. */
import { onTestFinished } from 'vitest';
import { parseFaults } from '../../faults.ts';
import type { MatchSettings } from '../../match.ts';
import { parseRestFaults } from '../faults.ts';
import { createProvider, type SimulatedProvider, type SimulatedProviderOptions } from '../provider.ts';
import { createTimeline } from '../timeline.ts';
import { ProviderReader } from './reader.ts';

/** Options of the provider. All but the data set have defaults. */
export type ManualProviderOptions = Partial<
  Omit<SimulatedProviderOptions, 'clock' | 'timeline'> & MatchSettings
> &
  Pick<SimulatedProviderOptions, 'dataset'> & { readonly matches?: number };

/** A provider whose clock shows the time of the first message until the test sets it. */
export type ManualProvider = SimulatedProvider & {
  /** Sets the clock, Unix seconds. Throws `RangeError` when the time is before the current one. */
  advanceTo(time: number): void;
};

const CLIENT = { id: '1', secretKey: 'a-secret-key-for-tests' };

/** Creates a provider whose clock the test sets. */
export function manualProvider(options: ManualProviderOptions): ManualProvider {
  const all = {
    client: CLIENT,
    seed: '1',
    faults: parseFaults('none'),
    restFaults: parseRestFaults('none'),
    keepAliveEvery: 30,
    clockEvery: 60,
    tls: null,
    ...options,
  };
  const timeline = createTimeline(options.dataset, all, options.matches);
  let time = timeline.startsAt;
  const provider = createProvider({ ...all, timeline, clock: { now: () => time } });
  return {
    ...provider,
    advanceTo(next) {
      if (!(next >= time)) throw new RangeError(`the clock shows ${time} and never goes back to ${next}`);
      time = next;
    },
  };
}

/** Creates such a provider and a reader of it. The end of the test closes the provider. */
export function openProvider(options: ManualProviderOptions): {
  readonly provider: ManualProvider;
  readonly reader: ProviderReader;
} {
  const provider = manualProvider(options);
  onTestFinished(() => provider.app.close());
  return { provider, reader: new ProviderReader(provider) };
}
