import type { Platform } from '../platform.ts';
import type { Check } from './check.ts';

/** How long the gateway may take for an answer, in milliseconds. */
const ANSWER_WITHIN = 15_000;

/** Exchanges the credentials of the client that was made for this run; nothing where there was one already. */
export async function checkExchange({
  toolsUrl,
  newClient,
}: Pick<Platform, 'toolsUrl' | 'newClient'>): Promise<Check[]> {
  if (newClient === null) return [];
  const { id, secretKey } = newClient;
  const status = await fetch(`${toolsUrl}/api/v1/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: String(id), secret_key: secretKey, label: 'demonstration' }),
    signal: AbortSignal.timeout(ANSWER_WITHIN),
  }).then(
    (response) => response.status,
    () => null,
  );
  return [{ what: 'an access token was issued for its first client', holds: status === 201 }];
}
