import type { GivenTo } from '../../command.ts';
import type { command } from './command.ts';
import { orderByHand } from './order.ts';

export function run(...[eventId, options]: GivenTo<typeof command>): Promise<number> {
  const { for: lasts = null } = options;
  return orderByHand(eventId, options, (at) => ({
    action: 'halt',
    until: lasts === null ? null : at + lasts,
  }));
}
