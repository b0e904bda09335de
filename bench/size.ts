/** `npm run bench -- --smallest`: every bench with minimal input, to check that it runs. Its figures mean nothing. */
export const SMALLEST = process.argv.includes('--smallest');

/** First round: round 0 warms up and does not count; the smallest form skips it. */
export const FIRST_ROUND = SMALLEST ? 1 : 0;

/** Returns the name of a round in the output. */
export function roundName(round: number): string {
  return round === 0 ? 'warm-up' : `round ${round}`;
}

/**
 * Returns a size of a bench: that of the environment variable if it is set, else `least` in the smallest form, else
 * `full`.
 */
export function sizeOf(variable: string | null, full: number, least: number): number {
  const set = variable === null ? undefined : process.env[variable];
  return Number(set ?? (SMALLEST ? least : full));
}

/**
 * Returns several sizes: those of the variable, separated by commas, else `least` in the smallest form, else `full`.
 */
export function sizesOf(
  variable: string,
  full: readonly number[],
  least: readonly number[],
): readonly number[] {
  return process.env[variable]?.split(',').map(Number) ?? (SMALLEST ? least : full);
}
