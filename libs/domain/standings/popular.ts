import type { Game } from './games.ts';
import { percentage } from './numbers.ts';
import type { Row } from './types.ts';

/** How often each result came about, the most frequent first; those as frequent share a rank, fewer goals go first. */
export function popularResultRows(games: readonly Game[]): Row[] {
  const amounts = new Map<string, { home: number; away: number; amount: number }>();
  let total = 0;
  for (const { score } of games) {
    if (score === null) continue;
    const result = `${score.home}:${score.away}`;
    const known = amounts.get(result) ?? { ...score, amount: 0 };
    known.amount += 1;
    amounts.set(result, known);
    total += 1;
  }
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
