import type { Course } from './course.ts';

/** A time in which a match could not be traded. Unix milliseconds. */
export type Halt = {
  readonly from: number;
  /** Null while it goes on. */
  readonly to: number | null;
  /** Every reason that it had, in the order in which they came; as of `tradingOf`. */
  readonly reasons: readonly string[];
  /** The score when it began, e.g. `1–0`; null: unknown. */
  readonly score: string | null;
};

/** The halts of one reason. */
export type ReasonTotal = {
  readonly reason: string;
  readonly halts: number;
  /** Milliseconds in which the halts that had the reason lasted. */
  readonly duration: number;
};

/** Returns the halts of a match, oldest first, stretches that follow each other as one. `isOver`: none goes on. */
export function haltsOf({ stretches, scores }: Course, isOver: boolean): Halt[] {
  const halts: Halt[] = [];
  for (const [n, { from, to, permission, reasons }] of stretches.entries()) {
    if (permission !== 'halted') continue;
    const end = n === stretches.length - 1 && !isOver ? null : to;
    const before = halts.at(-1);
    if (before !== undefined && before.to === from)
      halts[halts.length - 1] = {
        ...before,
        to: end,
        reasons: [...new Set([...before.reasons, ...reasons])],
      };
    else {
      const score = scores.findLast(({ at }) => at <= from)?.score ?? null;
      halts.push({ from, to: end, reasons, score });
    }
  }
  return halts;
}

/** Returns the halts of each reason, the most frequent first. A halt with several reasons counts for each. `now`: Unix milliseconds. */
export function reasonTotals(halts: readonly Halt[], now: number): ReasonTotal[] {
  const totals = new Map<string, ReasonTotal>();
  for (const { from, to, reasons } of halts) {
    for (const reason of reasons) {
      const { halts: count, duration } = totals.get(reason) ?? { halts: 0, duration: 0 };
      totals.set(reason, { reason, halts: count + 1, duration: duration + (to ?? now) - from });
    }
  }
  return [...totals.values()].sort((a, b) => b.halts - a.halts || b.duration - a.duration);
}
