/** Faults of the REST provider and the random source that injects them. */
import { allAt, parseRates } from '../faults.ts';
import { createRandom, type SeededRandom } from '../random.ts';

/** Faults of the REST provider, with their meaning. The rate is a share, 0 to 1. */
const REST_FAULTS = {
  unauthorized:
    'share of requests with a valid token that invalidate all tokens: 401 until a new one is fetched',
  server_error: 'share of requests that begin a burst of answers 500',
  timeout: 'share of requests that are never answered',
  slow: 'share of requests that are answered late',
  short_page:
    'share of pages that end early, inside a round: the omitted records are on no page of that pass',
  changed_page:
    'share of later pages before which a record moved: the last one of the previous page is repeated, one is missing',
  vanish: 'share of deletes that the feed does not publish: the incident only disappears from the list',
  boundary: 'share of the feed windows of the last minute that lack the messages of their last second',
  broken_json: 'share of answers that are complete but not JSON',
  cut_body: 'share of answers whose connection breaks halfway through the body',
  lagging_list:
    'share of incident lists that show what was known 40 seconds ago, where that differs; the first such list always does',
  empty_list:
    'share of incident lists that are empty although there are incidents; the first such list always is',
  webhook_loss: 'share of webhook deliveries that are never sent: only REST has their messages',
} as const;

type RestFault = keyof typeof REST_FAULTS;
export type RestFaultRates = Readonly<Record<RestFault, number>>;

export const REST_FAULT_NAMES = Object.keys(REST_FAULTS) as RestFault[];

/** Lower rates of the faults that cost a poller its whole timeout. */
const all = (rate: number) => ({ ...allAt(REST_FAULT_NAMES, rate), timeout: rate / 10, slow: rate / 2 });

export const REST_PRESETS: Readonly<Record<string, RestFaultRates>> = {
  none: all(0),
  some: { ...all(0.02), short_page: 0.1, changed_page: 0.1, vanish: 0.5, boundary: 0.3 },
  many: { ...all(0.08), short_page: 0.3, changed_page: 0.3, vanish: 0.5, boundary: 0.6, lagging_list: 0.5 },
};

/** Returns the setting of only the faults of incident lists, which lose no message, by the preset that a setting begins with. */
export function listFaultsOf(faults: string): string {
  const rates = REST_PRESETS[faults.split(',')[0]?.trim() ?? ''];
  return (['lagging_list', 'empty_list'] as const).map((name) => `${name}=${rates?.[name] ?? 0}`).join();
}

/** Parses a setting as `parseFaults` does: `some,timeout=0.01`. Throws `FaultsError`. */
export function parseRestFaults(setting: string): RestFaultRates {
  return parseRates(setting, REST_FAULT_NAMES, REST_PRESETS, () => 1);
}

export type RestFaults = ReturnType<typeof createRestFaults>;

/** Decides which faults to inject, and counts them. Each has its own random numbers: the rate of one does not change another. */
export function createRestFaults(rates: RestFaultRates, seed: string) {
  const counts = allAt(REST_FAULT_NAMES, 0);
  const random = new Map(REST_FAULT_NAMES.map((name) => [name, createRandom(seed, 'rest', name)]));
  const randomOf = (fault: RestFault) => random.get(fault) as SeededRandom;
  return {
    counts,
    /** Decides whether to inject the fault now, and counts it then. `first`: injects it the first time that it is possible. */
    strikes(fault: RestFault, first = false): boolean {
      const rate = rates[fault];
      const isDue = rate > 0 && ((first && counts[fault] === 0) || randomOf(fault).chance(rate));
      if (isDue) counts[fault]++;
      return isDue;
    },
    /** Returns a random whole number for a fault that is injected, both ends included. */
    int: (fault: RestFault, min: number, max: number): number => randomOf(fault).int(min, max),
  };
}
