import { SIGNATURE_HEADER, sign, TIMESTAMP_HEADER } from '#signing/signing.ts';
import { WEBHOOK_SECRET } from './system.ts';

/** Delivers messages to a receiver of the tests as the provider does: in one signed request, valid for five minutes. */
export function deliverSigned(
  url: string,
  messages: readonly unknown[],
  signal: AbortSignal | null = null,
): Promise<Response> {
  const body = Buffer.from(JSON.stringify(messages));
  const timestamp = String(Math.floor(Date.now() / 1000) + 300);
  const headers = {
    'content-type': 'application/json',
    [TIMESTAMP_HEADER]: timestamp,
    [SIGNATURE_HEADER]: sign(body, timestamp, WEBHOOK_SECRET),
  };
  return fetch(url, { method: 'POST', headers, body, signal });
}
