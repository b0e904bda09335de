/** What operators had halted by hand at a time, by the orders that trading-halts keeps. Times are Unix milliseconds. */
import type { TradingHalt, TradingOrder } from '#records/types.ts';
import { isStanding } from '#trading/halts.ts';

/** Returns the halts that stood at a time. `records`: those of the scopes that a match is in. */
export function haltsAt(records: readonly TradingHalt[], at: number) {
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
