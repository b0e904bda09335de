import type { GameSet, View } from './game-set.ts';
import type { UnplacedRow } from './types.ts';

type Amount = { readonly home: number; readonly away: number; amount: number };

/** How often each result occurred, by result. */
export const RESULTS: View<Map<string, Amount>> = {
  empty: () => new Map(),
  change: (of, { score }, times) => {
    if (score === null) return;
    const { home, away } = score;
    const result = `${home}:${away}`;
    const known = of.get(result) ?? { home, away, amount: 0 };
    known.amount += times;
    if (known.amount === 0) of.delete(result);
    else of.set(result, known);
  },
};

/** Results by frequency, the most frequent first; equal frequencies share a rank, fewer goals go first. */
export function popularResultRows(games: GameSet): UnplacedRow[] {
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
    values: new Map<string, string | number>([
      ['result', result],
      ['amount', amount],
      ['pct', percentage(amount, total)],
    ]),
  }));
}

/** A ratio as in tables: text with two decimals, rounded half up; '' where the divisor is 0. */
export function ratio(count: number, of: number): string {
  if (of === 0) return '';
  const hundredths = Math.floor((count * 200 + of) / (of * 2));
  return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`;
}

/** A percentage in the same form. */
export function percentage(count: number, of: number): string {
  return ratio(count * 100, of);
}
