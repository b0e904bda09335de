/** `npm run bench -- --smallest`: every bench with the least input, to show that it runs. Its figures mean nothing. */
export const SMALLEST = process.argv.includes('--smallest');

/** Round 0 warms and does not count: the smallest form, whose figures mean nothing, goes without. */
export const FIRST_ROUND = SMALLEST ? 1 : 0;

/** What a round is called in what is printed. */
export function roundName(round: number): string {
  return round === 0 ? 'warm-up' : `round ${round}`;
}

/** A size of a bench: that of the environment variable where it is set, else `least` in the smallest form, else `full`. */
export function sizeOf(variable: string | null, full: number, least: number): number {
  const set = variable === null ? undefined : process.env[variable];
  return Number(set ?? (SMALLEST ? least : full));
}

/** Several sizes, one after the other: the variable's, separated by commas, else `least` in the smallest form, else `full`. */
export function sizesOf(
  variable: string,
  full: readonly number[],
  least: readonly number[],
): readonly number[] {
  return process.env[variable]?.split(',').map(Number) ?? (SMALLEST ? least : full);
}
