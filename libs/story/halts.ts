import type { TradingHalt, TradingOrder } from '#records/types.ts';
import { isStanding } from '#trading/halts.ts';
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

/** Returns the halts that stood at a time. `records`: those of the scopes that a match is in. */
export function haltsAt(
  records: readonly TradingHalt[],
  at: number,
): { readonly isRead: true; readonly standing: readonly TradingOrder[] } {
  const standing = records.flatMap(({ orders }) => {
    const last = orders.findLast(({ order }) => order.at <= at);
    return last !== undefined && isStanding({ halted: last.action === 'halt', until: last.until }, at)
      ? [last]
      : [];
  });
  return { isRead: true, standing };
}

/** Returns the times at which halts may have begun or ended, in no order. */
export function haltChanges(records: readonly TradingHalt[]): number[] {
  return records.flatMap(({ orders }) =>
    orders.flatMap(({ until, order }) => (until === null ? [order.at] : [order.at, until])),
  );
}

/** Returns what an order says, e.g. `Halted by hand by anna, until 20:15:00 UTC: stream is late`. */
export function orderWords({ action, until, order: { user, reason } }: TradingOrder): string {
  const end = until === null ? '' : `, until ${clockWords(until)}`;
  return `${action === 'halt' ? 'Halted' : 'Resumed'} by hand by ${user}${end}: ${reason}`;
}

/** Returns what orders are about, e.g. `match 5`, `competition 9`, `everything`. */
export function scopeWords(scope: string): string {
  return scope === 'all' ? 'everything' : scope.replace(':', ' ');
}

/** Returns e.g. `20:15:00 UTC`. */
export function clockWords(at: number): string {
  return `${new Date(at).toISOString().slice(11, 19)} UTC`;
}
