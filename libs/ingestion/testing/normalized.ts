import type { NormalizedMessage } from '#records/types.ts';
import { type Normalized, normalizeMessage } from '../normalize.ts';
import { CONTEXT } from './messages.ts';

/** Returns the normalized form of a message that arrived by webhook, which must have one. `receivedAt`: Unix milliseconds. */
export function normalized(message: unknown, receivedAt: number = CONTEXT.receivedAt): NormalizedMessage {
  const result = normalizeMessage(message, { ...CONTEXT, receivedAt });
  if (result.kind !== 'normalized') throw new Error(reasonOf(result));
  return result.message;
}

/** Returns why a message is unreadable, or the kind of its result. */
export function reasonOf(result: Normalized): string {
  return result.kind === 'unreadable' ? `${result.code} ${result.reason}` : result.kind;
}
