import type { WebhookMessage } from '#topics/generated/types.ts';

/** What a subscription is sent. */
export type Audience = {
  /** Null is all. */
  readonly competitions: ReadonlySet<number> | null;
  /** Null is all. */
  readonly types: ReadonlySet<string> | null;
};

/** Whether a subscription is sent a message. One of an unknown competition goes to those who may have all. */
export function wants(
  { competitions, types }: Audience,
  { competition_id, type }: Pick<WebhookMessage, 'competition_id' | 'type'>,
): boolean {
  if (types !== null && !types.has(type)) return false;
  return competitions === null || (competition_id !== null && competitions.has(competition_id));
}
