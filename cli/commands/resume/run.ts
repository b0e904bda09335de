import type { GivenTo } from '../../command.ts';
import { orderByHand } from '../halt/run.ts';
import type { command } from './command.ts';

export function run(...[eventId, options]: GivenTo<typeof command>): Promise<number> {
  return orderByHand(eventId, options, () => ({ action: 'resume' }));
}
