/** For tests: derives match state from provider messages by the real rules. */

import { applyMessage, type Match, matchState, newMatch } from '#domain/match.ts';
import { causeOf } from '#domain/testing/messages.ts';
import { normalized } from '#ingestion/testing/normalized.ts';
import type { MatchState, NormalizedMessage } from '#records/types.ts';
import type { ProviderMessage } from '../records.ts';

/** Applies a message as if it had been read from normalized-messages. */
export function apply(match: Match, message: NormalizedMessage): void {
  applyMessage(match, message, causeOf(message, 0));
}

/** Applies provider messages. */
export function applyAll(match: Match, messages: readonly ProviderMessage[]): void {
  for (const message of messages) apply(match, normalized(message, message.ut * 1_000));
}

/** Returns the state of an event after its messages. */
export function stateAfter(eventId: number, messages: readonly ProviderMessage[]): MatchState {
  const match = newMatch(eventId);
  applyAll(match, messages);
  return matchState(match);
}
