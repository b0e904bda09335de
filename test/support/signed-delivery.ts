import { signatureHeaders } from '#signing/signing.ts';
import { WEBHOOK_SECRET } from './system.ts';

/** Delivers messages to a receiver as the provider does: in one signed request, valid for five minutes. */
export function deliverSigned(
  url: string,
  messages: readonly unknown[],
  { secret = WEBHOOK_SECRET, signal = null }: { secret?: string; signal?: AbortSignal | null } = {},
): Promise<Response> {
  const body = Buffer.from(JSON.stringify(messages));
  const headers = { 'content-type': 'application/json', ...signatureHeaders(body, secret, Date.now()) };
  return fetch(url, { method: 'POST', headers, body, signal });
}
