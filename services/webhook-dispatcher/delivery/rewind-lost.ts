import type { LogBounds } from '#streams/client/port.ts';
import type { WebhookProgress } from '#topics/generated/types.ts';
import { attemptOf } from '#webhooks/progress.ts';
import type { DispatchContext } from './delivery-context.ts';

/**
 * Resends from the start of webhook-messages to subscriptions whose progress is beyond its end: the topic was created
 * again, or restored from a backup. Ids tell receivers which messages are duplicates.
 */
export async function rewindLost(
  progress: Iterable<WebhookProgress>,
  bounds: readonly LogBounds[],
  { log, now, record }: Pick<DispatchContext, 'log' | 'now' | 'record'>,
): Promise<void> {
  const next = bounds.map(({ start: offset }, partition) => ({ partition, offset }));
  for (const { subscription_id, client_id, epoch, next: reached } of progress) {
    if (reached.every(({ partition, offset }) => offset <= (bounds[partition]?.end ?? 0))) continue;
    log.error(
      { client: client_id, subscription: subscription_id, code: 'POSITION_LOST' },
      'webhook-messages ends before what was delivered: it is sent from its start',
    );
    const head = { subscription_id, client_id, kind: 'resent', epoch, at: now() } as const;
    await record(attemptOf(head, { reason: 'POSITION_LOST', next }));
  }
}
