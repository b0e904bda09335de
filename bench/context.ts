import type { Backbone } from '#embedded/backbone.ts';

/** The context of every bench. */
export type BenchContext = {
  readonly backbone: Backbone;
  readonly brokers: readonly string[];
  readonly registryUrl: string;
  /** A folder for temporary files, removed at the end. */
  readonly dir: string;
  /** Returns a topic prefix that is unique in this run. */
  prefix(name: string): string;
  /** Prints progress and raw figures. */
  print(line: string): void;
  /** Adds a figure to the result. */
  figure(figure: Figure): void;
};

/** A measured value, and that of a peer of the same run, or a limit, where there is one. */
export type Figure = {
  readonly name: string;
  readonly ours: number;
  /** Name of the peer, and its value. */
  readonly beside?: { readonly name: string; readonly value: number } | undefined;
  readonly unit: string;
  /** Whether more is better (default) or less. */
  readonly better?: 'more' | 'less';
  /** Minimum (more is better) or maximum (less is better) of the ratio of our value to the peer's. */
  readonly target?: number | undefined;
};

/** One bench: `npm run bench -- NAME`. */
export type Bench = {
  readonly about: string;
  run(context: BenchContext): Promise<void>;
};

/** Returns the settings by which a service finds the topics of a prefix. */
export function connectionEnv(
  { brokers, registryUrl }: Pick<BenchContext, 'brokers' | 'registryUrl'>,
  prefix: string,
): Record<string, string> {
  return { KAFKA_BROKERS: brokers.join(','), SCHEMA_REGISTRY_URL: registryUrl, TOPIC_PREFIX: prefix };
}

/** Returns the median; for an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** Returns the value that `share` (0 to 1) of the values do not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Describes the quantiles of times in milliseconds. */
export function describeMs(times: readonly number[]): string {
  const at = (share: number) => format(quantile(times, share));
  return `p50 ${at(0.5)} p90 ${at(0.9)} p99 ${at(0.99)} max ${at(1)} ms of ${times.length}`;
}

/** Formats a number with thousands separators, and with decimals when it is small. */
export function format(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
