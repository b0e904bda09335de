import type { Counter } from 'prom-client';

/** Makes the series of every code at 0: a rate of a series that begins with its first event is 0. */
export function countFromZero(counter: Counter<'code'>, codes: Iterable<string>): void {
  for (const code of codes) counter.inc({ code }, 0);
}
