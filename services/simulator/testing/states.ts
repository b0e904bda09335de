/** For tests: derives match state from provider messages by the real rules. */

import { applyMessage, type Match, matchState, newMatch } from '#domain/match.ts';
import { normalizeMessage } from '#ingestion/normalize.ts';
import type { MatchState, NormalizedMessage } from '#records/types.ts';
import type { ProviderMessage } from '../records.ts';

/** Applies a message as if it had been read from normalized-messages. */
export function apply(match: Match, message: NormalizedMessage): void {
  const { message_id, ut } = message;
  applyMessage(match, message, {
    topic: 'normalized-messages',
    partition: 0,
    offset: 0,
    ut,
    received_at: 0,
    message_id,
  });
}

/** Applies provider messages. */
export function applyAll(match: Match, messages: readonly ProviderMessage[]): void {
  for (const message of messages) {
    const result = normalizeMessage(message, {
      origin: 'webhook',
      deliveryId: 'd',
      receivedAt: message.ut * 1_000,
    });
    if (result.kind !== 'normalized') throw new Error(`${message.id}: ${JSON.stringify(result)}`);
    apply(match, result.message);
  }
}

/** Returns the state of an event after its messages. */
export function stateAfter(eventId: number, messages: readonly ProviderMessage[]): MatchState {
  const match = newMatch(eventId);
  applyAll(match, messages);
  return matchState(match);
}
