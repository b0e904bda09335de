/** Faults of the REST provider and the random source that injects them. */
import { parseRates } from '../faults.ts';
import { createRandom, type SeededRandom } from '../random.ts';

/** Faults of the REST provider. The rate is a share, 0 to 1. */
const REST_FAULTS = {
  unauthorized:
    'share of requests with a good token that find all tokens invalid: 401 until a new one is fetched',
  server_error: 'share of requests that begin a burst of answers 500',
  timeout: 'share of requests that are never answered',
  slow: 'share of requests that are answered late',
  short_page: 'share of pages that end early, inside a round: what is left out is on no page of that pass',
  changed_page:
    'share of later pages before which a record changed its place: the last one of the page before is repeated, one is missed',
  vanish: 'share of deletes that the feed does not publish: the incident only disappears from the list',
  boundary:
    'share of windows of the feed, of those that end within the last minute, without the messages of their last second',
  broken_json: 'share of answers that are complete and no JSON',
  cut_body: 'share of answers whose connection breaks halfway through the body',
  webhook_loss: 'share of webhook deliveries that are never sent: what is in them can be had by REST only',
} as const;

type RestFault = keyof typeof REST_FAULTS;
export type RestFaultRates = Readonly<Record<RestFault, number>>;

export const REST_FAULT_NAMES = Object.keys(REST_FAULTS) as RestFault[];

const NONE = Object.fromEntries(REST_FAULT_NAMES.map((name) => [name, 0])) as Record<RestFault, number>;
const ALL = (rate: number): Record<RestFault, number> => ({
  ...(Object.fromEntries(REST_FAULT_NAMES.map((name) => [name, rate])) as Record<RestFault, number>),
  // Each of these costs a poller its whole timeout.
  timeout: rate / 10,
  slow: rate / 2,
});

/** Named orders. */
export const REST_PRESETS: Readonly<Record<string, RestFaultRates>> = {
  none: NONE,
  some: { ...ALL(0.02), short_page: 0.1, changed_page: 0.1, vanish: 0.5, boundary: 0.3 },
  many: { ...ALL(0.08), short_page: 0.3, changed_page: 0.3, vanish: 0.5, boundary: 0.6 },
};

/** Reads an order as `parseFaults` does: `some,timeout=0.01`. Throws `FaultsError`. */
export function parseRestFaults(order: string): RestFaultRates {
  return parseRates(order, REST_FAULT_NAMES, REST_PRESETS, () => 1);
}

/**
 * Throws the dice and counts what was done. Each fault has dice of its own, so the same requests in the same order
 * meet the same faults, and ordering one fault changes nothing of another.
 */
export class RestFaults {
  readonly rates: RestFaultRates;
  readonly #counts: Record<RestFault, number> = { ...NONE };
  readonly #dice: Readonly<Record<RestFault, SeededRandom>>;

  constructor(rates: RestFaultRates, seed: string) {
    this.rates = rates;
    this.#dice = Object.fromEntries(
      REST_FAULT_NAMES.map((name) => [name, createRandom(seed, 'rest', name)]),
    ) as Record<RestFault, SeededRandom>;
  }

  /** How often each was done. */
  get counts(): Readonly<Record<RestFault, number>> {
    return this.#counts;
  }

  /** Whether the fault is due now; it is counted where it is. */
  strikes(fault: RestFault): boolean {
    const due = this.rates[fault] > 0 && this.#dice[fault].chance(this.rates[fault]);
    if (due) this.count(fault);
    return due;
  }

  /** A whole number for a fault that is being done, both ends included. */
  int(fault: RestFault, min: number, max: number): number {
    return this.#dice[fault].int(min, max);
  }

  /** Counts a fault that was done without the dice. */
  count(fault: RestFault): void {
    this.#counts[fault]++;
  }
}
