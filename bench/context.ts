import type { Backbone } from '#embedded/backbone.ts';

/** What every bench is given. */
export type BenchContext = {
  readonly backbone: Backbone;
  readonly brokers: readonly string[];
  readonly registryUrl: string;
  /** A folder for temporary files, removed at the end. */
  readonly dir: string;
  /** A topic prefix that no other bench of this run has. */
  prefix(name: string): string;
  /** Progress and raw figures. */
  print(line: string): void;
  /** A figure of the bench's result. */
  figure(figure: Figure): void;
};

/** What was measured, beside a peer or limit of the same run. */
export type Figure = {
  readonly name: string;
  readonly ours: number;
  /** What `peer` is, and its own figure. */
  readonly beside: { readonly name: string; readonly value: number };
  readonly unit: string;
  /** Whether more is better (default) or less. */
  readonly better?: 'more' | 'less';
  /** What the ratio of ours to the peer's should be at least (more is better) or at most (less is better). */
  readonly target?: number;
};

/** One bench: `npm run bench -- NAME`. */
export type Bench = {
  readonly about: string;
  /** Folders of the tree whose code is measured: its figures are old once one of them has changed. */
  readonly subject: readonly string[];
  run(context: BenchContext): Promise<void>;
};

/** What a match processor runs. */
export const PROCESSOR = ['libs/domain', 'libs/streams', 'libs/topics', 'services/match-processor'] as const;

/** The middle value; of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** The value that `share` (0 to 1) of the values do not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** A number with thousands marked, and digits after the point where it is small. */
export function format(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
