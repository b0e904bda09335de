import type { GameSet, GameView } from './game-set.ts';
import type { RankedRow, Value } from './types.ts';

type Amount = { readonly home: number; readonly away: number; amount: number };

/** The number of games with each result, by result. */
export const RESULTS: GameView<Map<string, Amount>> = {
  empty: () => new Map(),
  change: (value, { score }, times) => {
    if (score === null) return;
    const { home, away } = score;
    const result = `${home}:${away}`;
    const known = value.get(result) ?? { home, away, amount: 0 };
    known.amount += times;
    if (known.amount === 0) value.delete(result);
    else value.set(result, known);
  },
};

/** Returns the rows of results, the most frequent first. Equal frequencies share a rank, ordered by fewer goals. */
export function popularResultRows(games: GameSet): RankedRow[] {
  const amounts = games.view(RESULTS);
  const total = amounts.values().reduce((sum, { amount }) => sum + amount, 0);
  const ordered = [...amounts].sort(
    ([, a], [, b]) => b.amount - a.amount || a.home + a.away - b.home - b.away || a.home - b.home,
  );
  const counts = ordered.map(([, { amount }]) => amount);
  return ordered.map(([result, { amount }]) => ({
    id: null,
    name: result,
    club: null,
    rank: counts.indexOf(amount) + 1,
    last_rank: null,
    values: new Map<string, Value>([
      ['result', result],
      ['amount', amount],
      ['pct', percentage(amount, total)],
    ]),
  }));
}

/** Returns a ratio as in tables: with two decimals, rounded half up; null if the divisor is 0. */
export function ratio(count: number, divisor: number): number | null {
  return divisor === 0 ? null : Math.floor((count * 200 + divisor) / (divisor * 2)) / 100;
}

/** Returns a percentage in the form of `ratio`. */
export function percentage(count: number, total: number): number | null {
  return ratio(count * 100, total);
}
