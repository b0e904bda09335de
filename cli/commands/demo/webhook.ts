/** A client of the demonstration: an https server that receives every webhook, and the state it builds from them. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import { ClientDirectory, type ClientDraft } from '#clients/directory.ts';
import { deriveKey } from '#clients/keys.ts';
import { newSecret } from '#clients/secret.ts';
import { sealWebhook } from '#clients/webhooks.ts';
import { applyMessage, type Match, matchState, newMatch } from '#domain/match.ts';
import { normalizeMessage } from '#ingestion/normalize.ts';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER, verify } from '#signing/signing.ts';
import { quiet } from '#streams/log.ts';
import { poll } from '#timing/poll.ts';
import type { Client, MatchState } from '#topics/generated/types.ts';
import type { Platform } from '../../platform.ts';
import { editClient } from '../clients/client.ts';

/** Final state of the client. */
export type WebhookFound = {
  /** Received messages, each counted once. */
  readonly messages: number;
  readonly requests: number;
  /** Valid and disallowed goals, from the received messages. */
  readonly goals: number;
  readonly disallowed: number;
  /** Matches whose goals differ from match-state. */
  readonly differing: number;
};

const HOST = '127.0.0.1';
/** Time limit for outstanding deliveries, in milliseconds. */
const DEADLINE_MS = 60_000;
const LOOK_EVERY = 200;

/** A receiver as a customer would write one, except that it applies the rules of libs/domain. */
export class DemoWebhook {
  /** What a dispatcher needs to call it: its address is this machine's, its certificate its own. */
  readonly dispatcherSettings: Readonly<Record<string, string>>;
  readonly #server: Server;
  readonly #secret = newSecret();
  readonly #matches = new Map<number, Match>();
  readonly #ids = new Set<unknown>();
  #requests = 0;
  /** Of the subscription; null where there is none. */
  #id: string | null = null;

  private constructor(server: Server, caFile: string) {
    this.#server = server;
    this.dispatcherSettings = { WEBHOOK_ALLOWED_RANGES: `${HOST}/32`, WEBHOOK_CA_FILE: caFile };
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  /** Listens on a free port, with a certificate made on the spot and put into the folder. */
  static async listen(folder: string): Promise<DemoWebhook> {
    const { private: key, cert } = await generate([{ name: 'commonName', value: HOST }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 7, ip: HOST }] },
      ],
    });
    const caFile = join(folder, 'demo-webhook.pem');
    writeFileSync(caFile, cert);
    const server = createServer({ key, cert });
    server.listen(0, HOST);
    await once(server, 'listening');
    return new DemoWebhook(server, caFile);
  }

  /** Subscribes client 1 to all messages from now on. */
  async subscribe(platform: Platform): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    const webhook = { url: `https://${HOST}:${port}/`, secret: this.#secret };
    const key = deriveKey(platform.clientsKey, 'webhooks');
    const sealed = sealWebhook(CLIENT, webhook, key, { types: null, createdAt: Date.now() });
    await edit(platform, (client) => ({ ...client, webhooks: [...client.webhooks, sealed] }));
    this.#id = sealed.id;
  }

  /** Removes the subscription: this receiver is gone when the topics are used again. */
  async unsubscribe(platform: Platform): Promise<void> {
    const own = this.#id;
    if (own === null) return;
    this.#id = null;
    await edit(platform, (client) => ({
      ...client,
      webhooks: client.webhooks.filter(({ id }) => id !== own),
    }));
  }

  /** Waits until it has the goals of these matches, until the time limit, or until `signal`. */
  async settled(states: ReadonlyMap<number, MatchState>, signal: AbortSignal): Promise<WebhookFound> {
    const isSettled = (): boolean => this.#found(states).differing === 0;
    await poll(isSettled, { timeoutMs: DEADLINE_MS, everyMs: LOOK_EVERY, signal });
    return this.#found(states);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #found(states: ReadonlyMap<number, MatchState>): WebhookFound {
    let [goals, disallowed, differing] = [0, 0, 0];
    for (const [id, state] of states) {
      const match = this.#matches.get(id);
      const mine = match === undefined ? null : matchState(match);
      goals += mine?.counting_goals.length ?? 0;
      disallowed += Object.keys(mine?.void_goals ?? {}).length;
      if (mine === null || goalsText(mine) !== goalsText(state)) differing += 1;
    }
    return { messages: this.#ids.size, requests: this.#requests, goals, disallowed, differing };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request).catch(() => null);
    if (body === null) return;
    const headers = {
      timestamp: request.headers[TIMESTAMP_HEADER]?.toString(),
      signature: request.headers[SIGNATURE_HEADER]?.toString(),
    };
    if (verify(body, headers, [this.#secret], Date.now()) !== 'ok') {
      response.writeHead(401).end();
      return;
    }
    this.#requests += 1;
    for (const message of JSON.parse(body.toString()) as unknown[]) this.#take(message);
    response.end('Accepted');
  }

  /** A repeated message changes nothing, by the laws. */
  #take(message: unknown): void {
    const context = { origin: 'webhook', deliveryId: '', receivedAt: Date.now() } as const;
    const normalized = normalizeMessage(message, context);
    if (normalized.kind !== 'normalized') return;
    const { event_id, message_id, ut, received_at } = normalized.message;
    this.#ids.add((message as { uuid?: unknown }).uuid);
    const match = this.#matches.get(event_id) ?? newMatch(event_id);
    const cause = { topic: '', partition: 0, offset: 0, ut, received_at, message_id };
    if (applyMessage(match, normalized.message, cause).transitions.length > 0)
      this.#matches.set(event_id, match);
  }
}

const CLIENT = 1;

function edit({ backbone, prefix }: Platform, edited: (client: Client) => ClientDraft): Promise<Client> {
  const { brokers, registryUrl } = backbone;
  return editClient(ClientDirectory.open({ brokers, registryUrl, prefix, log: quiet }), CLIENT, edited);
}

function goalsText({ counting_goals, void_goals }: MatchState): string {
  return JSON.stringify([counting_goals, Object.entries(void_goals).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
