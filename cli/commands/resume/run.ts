import type { ArgumentsOf } from '../../command.ts';
import { orderByHand } from '../halt/order.ts';
import type { command } from './command.ts';

export function run({ values, positionals }: ArgumentsOf<typeof command>): Promise<number> {
  return orderByHand(values, positionals, () => ({ action: 'resume' }));
}
