import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { ClientDirectory } from '#clients/directory.ts';
import { deriveKey } from '#clients/keys.ts';
import { sealWebhook, type WebhookType } from '#clients/webhooks.ts';
import type { ReaderLimits } from '#trading/feed-status.ts';
import { writeText } from './certificates.ts';
import { CLIENTS_KEY, connectionEnv } from './environment.ts';
import { HttpsReceiver } from './https-receiver.ts';
import { quietLog } from './log.ts';
import type { PipelineConnection } from './pipeline.ts';
import { startService, type TestService } from './processes.ts';
import { touchlineHere } from './touchline-here.ts';

const FAST = {
  SESSION_TIMEOUT_MS: '6000',
  WEBHOOK_TIMEOUT_MS: '500',
  WEBHOOK_RETRY_SECONDS: '0.02,0.05,0.1,0.5',
  WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
};

/** Starts a dispatcher that trusts the receivers of the test. */
export async function startDispatcher(
  connection: PipelineConnection,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestService> {
  return startService('webhook-dispatcher', {
    ...connectionEnv(connection),
    ...FAST,
    CLIENTS_KEY,
    DISPATCHER_PORT: '0',
    WEBHOOK_CA_FILE: await caFile(),
    ...settings,
  });
}

let ca: Promise<string> | undefined;

/** Returns the path of a file with the authority of this process's receivers. */
export function caFile(): Promise<string> {
  ca ??= HttpsReceiver.start().then((receiver) =>
    writeText(mkdtempSync(join(inject('folder'), 'webhooks-')), 'ca.pem', receiver.ca),
  );
  return ca;
}

let clientsMade = 0;

/** Creates a client with a webhook by `touchline clients`, and returns the id of the subscription. */
export async function subscribe(
  connection: PipelineConnection,
  webhook: {
    readonly url: string;
    readonly secret: string;
    readonly types?: readonly WebhookType[];
    readonly latestOnly?: boolean;
    readonly limits?: ReaderLimits;
  },
  competitions: readonly number[] | null = null,
): Promise<string> {
  clientsMade += 1;
  const client_id = clientsMade;
  const { types = null, latestOnly: latest_only = false, limits } = webhook;
  const sealed = sealWebhook(client_id, webhook, deriveKey(CLIENTS_KEY, 'webhooks'), {
    types: types && [...types],
    latest_only,
    max_age_seconds: limits?.maxAgeSeconds ?? null,
    max_delay_seconds: limits?.maxDelaySeconds ?? null,
    created_at: Date.now(),
  });
  await new ClientDirectory('clients', { ...connection, log: quietLog }).edit(client_id, () => ({
    client_id,
    name: `client ${client_id}`,
    active: true,
    secret_hash: 'of no use',
    operations: null,
    may_halt: false,
    competitions: competitions === null ? null : [...competitions],
    webhooks: [sealed],
  }));
  return sealed.id;
}

export async function webhooks(connection: PipelineConnection, line: string): Promise<string> {
  const { code, out, err } = await touchlineHere(['webhooks', ...line.split(' ')], connectionEnv(connection));
  expect(code, err).toBe(0);
  return out;
}
