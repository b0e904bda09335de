import type { Alert } from '#records/types.ts';
import { type AlertFormat, alertBody } from '#webhooks/alert-formats.ts';
import type { MessageBatch } from './batch.ts';
import type { Subscription } from './subscriptions.ts';

/** Returns the body of a request: the contract's list, or the alert of the batch's one message in the subscription's format. */
export function bodyOf(
  { format, template, secret }: Pick<Subscription, 'format' | 'template' | 'secret'>,
  batch: Pick<MessageBatch, 'takeBody'>,
): Buffer {
  const body = batch.takeBody();
  if (format === null) return body;
  const [message] = JSON.parse(body.toString()) as { data: { alert: Alert } }[];
  if (message === undefined) return body;
  return Buffer.from(alertBody(message.data.alert, { format: format as AlertFormat, template, secret }));
}
