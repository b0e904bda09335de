import { type ArgumentsOf, UsageError } from '../../command.ts';
import { durationMs } from '../option-values.ts';
import type { command } from './command.ts';
import { orderByHand } from './order.ts';

export async function run({ values, positionals }: ArgumentsOf<typeof command>): Promise<number> {
  const lasts = values.for === undefined ? null : durationMs(values.for);
  if (values.for !== undefined && (lasts === null || lasts === 0))
    throw new UsageError(`--for is a time as 90s, 10m or 2h, not ${JSON.stringify(values.for)}`);
  return orderByHand(values, positionals, (at) => ({
    action: 'halt',
    until: lasts === null ? null : at + lasts,
  }));
}
