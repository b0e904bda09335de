import type { WebhookMessage } from '#topics/generated/types.ts';

/** The filter of a subscription. */
export type Audience = {
  /** Null is all. */
  readonly competitions: ReadonlySet<number> | null;
  /** Null is all that the provider sends too: incidents and events. */
  readonly types: ReadonlySet<string> | null;
};

/** Messages of touchline alerts, which the provider's contract does not have. */
const ALERT = 'alert';

/** Whether a subscription receives a message. One of an unknown competition goes to subscriptions without that limit. */
export function wants(
  { competitions, types }: Audience,
  { competition_id, type }: Pick<WebhookMessage, 'competition_id' | 'type'>,
): boolean {
  if (types === null ? type === ALERT : !types.has(type)) return false;
  return competitions === null || (competition_id !== null && competitions.has(competition_id));
}
