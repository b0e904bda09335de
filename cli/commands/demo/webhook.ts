/** A client of the demonstration: an https server that receives every webhook and derives match states from them. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import { z } from 'zod';
import { ClientDirectory, type ClientDraft } from '#clients/directory.ts';
import { deriveKey, newSecret } from '#clients/keys.ts';
import { sealWebhook } from '#clients/webhooks.ts';
import { applyMessage, type Match, matchState, newMatch } from '#domain/match.ts';
import { normalizeMessage } from '#ingestion/normalize.ts';
import { outboundSettings } from '#outbound/settings.ts';
import type { Client, MatchState } from '#records/types.ts';
import { type Environment, loadConfig } from '#service/config.ts';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER, verify } from '#signing/signing.ts';
import { silentLogger } from '#streams/log.ts';
import { poll } from '#timing/poll.ts';
import type { Platform } from '../../platform.ts';
import { editClient } from '../clients/client.ts';

/** What the client has received. */
export type ReceivedWebhooks = {
  /** Number of different messages. */
  readonly messages: number;
  readonly requests: number;
  /** Number of counting goals in the received messages. */
  readonly goals: number;
  /** Number of disallowed goals in the received messages. */
  readonly disallowed: number;
  /** Number of matches whose goals differ from match-state. */
  readonly differing: number;
};

const HOST = '127.0.0.1';
/** Timeout for pending deliveries. */
const DELIVERY_TIMEOUT_MS = 60_000;
const POLL_MS = 200;

/** A receiver such as a customer would write, except that it applies the rules of libs/domain. */
export class DemoWebhook {
  /** Settings with which a dispatcher can call it: a loopback address, and a self-signed certificate. */
  readonly dispatcherSettings: Readonly<Record<string, string>>;
  readonly #server: Server;
  readonly #secret = newSecret();
  readonly #matches = new Map<number, Match>();
  readonly #ids = new Set<unknown>();
  #requests = 0;
  /** Id of the subscription; null when there is none. */
  #subscriptionId: string | null = null;

  private constructor(server: Server, settings: Readonly<Record<string, string>>) {
    this.#server = server;
    this.dispatcherSettings = settings;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  /**
   * Listens on a free port, with a new certificate that is written to the folder. `env`: allowed ranges and trusted certificates of
   * it stay allowed and trusted. Rejects with `ConfigError` when they are invalid.
   */
  static async listen(folder: string, env: Environment): Promise<DemoWebhook> {
    const { WEBHOOK_CA_FILE: trusted } = loadConfig(z.object(outboundSettings), env);
    const { private: key, cert } = await generate([{ name: 'commonName', value: HOST }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 7, ip: HOST }] },
      ],
    });
    const caFile = join(folder, 'demo-webhook.pem');
    writeFileSync(caFile, [...(trusted === undefined ? [] : [trusted]), cert].join('\n'));
    const server = createServer({ key, cert });
    server.listen(0, HOST);
    await once(server, 'listening');
    const ranges = [env.WEBHOOK_ALLOWED_RANGES ?? '', `${HOST}/32`].filter((one) => one !== '');
    return new DemoWebhook(server, {
      WEBHOOK_ALLOWED_RANGES: ranges.join(','),
      WEBHOOK_CA_FILE: caFile,
    });
  }

  /** Subscribes client 1 to all messages from now on. */
  async subscribe(platform: Platform): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    const webhook = { url: `https://${HOST}:${port}/`, secret: this.#secret };
    const key = deriveKey(platform.clientsKey, 'webhooks');
    const sealed = sealWebhook(CLIENT, webhook, key, { types: null, createdAt: Date.now() });
    await edit(platform, (client) => ({ ...client, webhooks: [...client.webhooks, sealed] }));
    this.#subscriptionId = sealed.id;
  }

  /** Removes the subscription, because this receiver ends before the topics are used again. */
  async unsubscribe(platform: Platform): Promise<void> {
    const own = this.#subscriptionId;
    if (own === null) return;
    this.#subscriptionId = null;
    await edit(platform, (client) => ({
      ...client,
      webhooks: client.webhooks.filter(({ id }) => id !== own),
    }));
  }

  /** Waits until it has the goals of these matches, until the timeout, or until `signal`. */
  async untilReceived(
    states: ReadonlyMap<number, MatchState>,
    signal: AbortSignal,
  ): Promise<ReceivedWebhooks> {
    const hasAll = (): boolean => this.#received(states).differing === 0;
    await poll(hasAll, { timeoutMs: DELIVERY_TIMEOUT_MS, everyMs: POLL_MS, signal });
    return this.#received(states);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #received(states: ReadonlyMap<number, MatchState>): ReceivedWebhooks {
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
    for (const message of JSON.parse(body.toString()) as unknown[]) this.#apply(message);
    response.end('Accepted');
  }

  /** Applies a message. A repeated message changes nothing, by the laws. */
  #apply(message: unknown): void {
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

/** The client that the platform created. */
const CLIENT = 1;

function edit({ backbone, prefix }: Platform, edited: (client: Client) => ClientDraft): Promise<Client> {
  const { brokers, registryUrl } = backbone;
  return editClient(
    ClientDirectory.open({ brokers, registryUrl, prefix, log: silentLogger }),
    CLIENT,
    edited,
  );
}

function goalsText({ counting_goals, void_goals }: MatchState): string {
  return JSON.stringify([counting_goals, Object.entries(void_goals).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
