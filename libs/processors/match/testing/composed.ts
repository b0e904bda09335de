/** Composes histories of messages like the match processor, and reads what is sent. */
import { applyMessage, type Match, newMatch } from '#domain/match.ts';
import { causeOf, EVENT_ID } from '#domain/testing/messages.ts';
import type { JsonObject } from '#json/values.ts';
import type { NormalizedMessage, WebhookMessage } from '#records/types.ts';
import { compose } from '../webhook-messages.ts';

type Sent = { readonly match: Match; readonly messages: readonly WebhookMessage[] };

/**
 * Applies messages to a match and composes its webhook messages, like the match processor. `isLarge`: only the first message of a
 * version has the fields of the event, as in a list whose messages would be too large.
 */
export function send(history: readonly NormalizedMessage[], isLarge = false): Sent {
  const match = newMatch(EVENT_ID);
  const sentUts = new Map<string, number>();
  const messages = history.flatMap((message, offset) => {
    let cause = message;
    const { transitions, inPlay: in_play } = applyMessage(match, message, causeOf(message, offset));
    return transitions.flatMap((transition) => {
      const id = transition.incident_id ?? '';
      const composed = compose(transition, cause, sentUts.get(id) ?? null);
      if (composed.sentUt === null) sentUts.delete(id);
      else if (composed.sentUt !== undefined) sentUts.set(id, composed.sentUt);
      if (isLarge && composed.messages.length > 0) cause = { ...message, event: null };
      return composed.messages.map((one) => ({ ...one, in_play }));
    });
  });
  return { match, messages };
}

/** Returns a composed message as its receiver parses it. */
export const jsonOf = ({
  message,
}: WebhookMessage): { id: unknown; type: string; ut: number; data: JsonObject } =>
  JSON.parse(message.toString());
