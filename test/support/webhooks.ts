import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ClientDirectory } from '#clients/directory.ts';
import { deriveKey } from '#clients/keys.ts';
import { sealWebhook, type WebhookType } from '#clients/webhooks.ts';
import type { MatchState } from '#topics/generated/types.ts';
import { CLIENTS_KEY } from './api.ts';
import { atEnd } from './at-end.ts';
import { answers, type HostileAnswer, HttpsReceiver } from './https-receiver.ts';
import { quietLog } from './log.ts';
import type { PipelineConnection, PipelineOutput } from './pipeline.ts';
import { startService, type TestService } from './processes.ts';
import { touchlineHere } from './touchline-here.ts';

/** Short times, so that a test of failures ends soon. */
const FAST = {
  SESSION_TIMEOUT_MS: '6000',
  WEBHOOK_TIMEOUT_MS: '500',
  WEBHOOK_RETRY_SECONDS: '0.02,0.05,0.1',
  WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
};

function settingsOf({ brokers, registryUrl, prefix }: PipelineConnection): Record<string, string> {
  return { KAFKA_BROKERS: brokers.join(','), SCHEMA_REGISTRY_URL: registryUrl, TOPIC_PREFIX: prefix };
}

export function startComposer(place: PipelineConnection): TestService {
  return startService('webhook-composer', { ...settingsOf(place), SESSION_TIMEOUT_MS: '6000' });
}

/** A dispatcher that trusts the receivers of the test. */
export async function startDispatcher(
  place: PipelineConnection,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestService> {
  return startService('webhook-dispatcher', {
    ...settingsOf(place),
    ...FAST,
    CLIENTS_KEY,
    DISPATCHER_PORT: '0',
    WEBHOOK_CA_FILE: await caFile(),
    ...settings,
  });
}

let ca: Promise<string> | undefined;

/** A file with the certificate that the receivers of this process are trusted by. */
export function caFile(): Promise<string> {
  ca ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'touchline-webhooks-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'ca.pem');
    writeFileSync(file, (await HttpsReceiver.start()).ca);
    return file;
  })();
  return ca;
}

let clientsMade = 0;

/** Makes a client with a webhook, as `touchline clients` does; gives the subscription's id. */
export async function subscribe(
  place: PipelineConnection,
  webhook: { readonly url: string; readonly secret: string; readonly types?: readonly WebhookType[] },
  competitions: readonly number[] | null = null,
): Promise<string> {
  clientsMade += 1;
  const client_id = clientsMade;
  const scope = { types: webhook.types ?? null, createdAt: Date.now() };
  const sealed = sealWebhook(client_id, webhook, deriveKey(CLIENTS_KEY, 'webhooks'), scope);
  await ClientDirectory.open({ ...place, log: quietLog }).edit(client_id, () => ({
    client_id,
    name: `client ${client_id}`,
    active: true,
    secret_hash: 'of no use',
    operations: null,
    competitions: competitions === null ? null : [...competitions],
    webhooks: [sealed],
  }));
  return sealed.id;
}

/** Runs `touchline webhooks …`; gives what it printed. */
export async function webhooks(place: PipelineConnection, line: string): Promise<string> {
  const { code, out, err } = await touchlineHere(['webhooks', ...line.split(' ')], settingsOf(place));
  expect(code, err).toBe(0);
  return out;
}

/** The ways in which a receiver fails. Half of the time it has passed the messages on before. */
const FAULTS: Readonly<Record<string, HostileAnswer>> = {
  timeout: answers.silent,
  reset: answers.reset,
  500: answers.error,
  another_body: answers.otherText,
  lower_case: answers.lowerCase,
  newline: answers.newline,
  slow_drip: answers.drip,
  huge_body: answers.huge,
};
const UNTRUSTED = 'untrusted_certificate';

/** An https receiver that passes deliveries on to another address, but fails in every way that is known. */
export type FaultyReceiver = {
  readonly url: string;
  /** How often each fault was made. */
  readonly counts: Readonly<Record<string, number>>;
};

/** Deals cards, all of them in any order before the first comes again. */
export function dealer<T>(cards: readonly T[], random: () => number): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = [...cards];
    return left.splice(Math.floor(random() * left.length), 1)[0] as T;
  };
}

/** `rate`: of each way of failing. */
export async function startFaultyReceiver(
  target: () => string,
  rate: number,
  random: () => number,
): Promise<FaultyReceiver> {
  const counts: Record<string, number> = { [UNTRUSTED]: 0 };
  for (const name of Object.keys(FAULTS)) counts[name] = 0;
  const size = Math.round(1 / rate);
  const names = Object.keys(FAULTS);
  // Of each way as often as said, in any order: even a short run has them all.
  const nextFault = dealer([...names, ...new Array<null>(size - 1 - names.length).fill(null)], random);
  const nextIsTrusted = dealer([false, ...new Array<boolean>(size - 1).fill(true)], random);
  const answer: HostileAnswer = async (response, request, n) => {
    // Each attempt has a connection of its own, and with it a certificate.
    response.setHeader('connection', 'close');
    const fault = nextFault();
    const pass = async (): Promise<{ status: number; text: string }> => {
      const { headers, body } = request;
      const signed = Object.fromEntries(
        Object.entries(headers).filter(([name]) => name.startsWith('x-signature') || name === 'content-type'),
      ) as Record<string, string>;
      const answered = await fetch(target(), { method: 'POST', headers: signed, body });
      return { status: answered.status, text: await answered.text() };
    };
    if (fault !== null) {
      counts[fault] = (counts[fault] ?? 0) + 1;
      if (random() < 0.5) await pass().catch(() => {});
      FAULTS[fault]?.(response, request, n);
      return;
    }
    const answered = await pass().catch(() => ({ status: 502, text: '' }));
    response.writeHead(answered.status).end(answered.text);
  };
  const [trusted, untrusted] = [
    await HttpsReceiver.start(answer),
    await HttpsReceiver.start(answers.accepted, { trusted: false }),
  ];
  const front = createServer((socket) => {
    const isUntrusted = !nextIsTrusted();
    if (isUntrusted) counts[UNTRUSTED] = (counts[UNTRUSTED] ?? 0) + 1;
    const behind = connect((isUntrusted ? untrusted : trusted).port, '127.0.0.1');
    socket.pipe(behind).pipe(socket);
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  atEnd(() => front.close());
  return {
    url: `https://localhost:${(front.address() as AddressInfo).port}/webhook`,
    counts,
  };
}

/** The states of all matches without what tells of the order in the log, and of how it came to be known. */
export function statesOf({ states }: PipelineOutput, ignoring: readonly (keyof MatchState)[] = []) {
  return Object.fromEntries(
    [...states]
      .sort(([a], [b]) => a - b)
      .map(([id, state]) => {
        const { version: _, cause: __, ...rest } = state;
        return [
          id,
          Object.fromEntries(Object.entries(rest).filter(([name]) => !ignoring.some((one) => one === name))),
        ];
      }),
  );
}
