/** A whole system that plays a tournament, with the tool gateway in front of what comes of it. */
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { freePort } from '#embedded/ports.ts';
import { type ApiReplica, clients, temporaryFolder } from '../../support/api.ts';
import { atEnd } from '../../support/at-end.ts';
import { until } from '../../support/poll.ts';
import { startService, type TestService } from '../../support/processes.ts';
import { DATASET, logged, System, WEBHOOK_SECRET } from '../../support/system.ts';
import { type Gateway, startGateway } from '../../support/tool-gateway.ts';
import { touchlineHere } from '../../support/touchline-here.ts';

/** How many matches are played, and in how many seconds. */
export const MATCHES = 8;
const SECONDS = '20';
export const RULES = fileURLToPath(new URL('../../../data/rules/', import.meta.url));
const REST_SECRET_KEY = 'the secret of the simulator';

/** A token, and whose it is. */
export type TournamentToken = { readonly clientId: string; readonly token: string };

/** The system; `play` begins. */
export class Tournament {
  readonly api: ApiReplica;
  readonly gateways: readonly [Gateway, Gateway];
  readonly #system: System;
  readonly #webhookUrl: string;

  private constructor(
    system: System,
    api: ApiReplica,
    gateways: readonly [Gateway, Gateway],
    webhookUrl: string,
  ) {
    this.#system = system;
    this.api = api;
    this.gateways = gateways;
    this.#webhookUrl = webhookUrl;
  }

  static async create(): Promise<Tournament> {
    const system = await System.create();
    const { place } = system.pipeline;
    const env = {
      KAFKA_BROKERS: place.brokers.join(','),
      SCHEMA_REGISTRY_URL: place.registryUrl,
      TOPIC_PREFIX: place.prefix,
    };
    startService('standings-processor', { ...env, RULES_DIR: RULES });
    const [{ url }, api] = await Promise.all([system.startReceiver(), system.startApi(temporaryFolder())]);
    const gateways = await Promise.all([startGateway(place, api.url), startGateway(place, api.url)]);
    return new Tournament(system, api, gateways, url);
  }

  /** Begins to play; gives the process, which ends when it is stopped. */
  async play(): Promise<TestService> {
    const port = await freePort();
    const simulator = startService('simulator', {
      WEBHOOK_URL: this.#webhookUrl,
      WEBHOOK_SECRET,
      DATASET: DATASET.competition.dataset,
      MATCHES: String(MATCHES),
      DURATION: SECONDS,
      FAULTS: 'some',
      REST_PORT: String(port),
      REST_SECRET_KEY,
    });
    this.#system.startPoller({
      url: `http://127.0.0.1:${port}`,
      client: { id: '1', secret: REST_SECRET_KEY },
    });
    return simulator;
  }

  /** Waits until all was played and processed. */
  async played(simulator: TestService): Promise<void> {
    await logged(simulator, 'all was played', 120_000);
    await this.#system.output();
  }

  /** A token for a new client; `contract` is as `touchline clients add` takes it. */
  async token(contract = '--name desk'): Promise<TournamentToken> {
    const printed = await clients(this.#system.pipeline.place, `add ${contract}`);
    const [, client_id = '', secret_key] = /client_id (\d+)[\s\S]*secret_key (\w+)/.exec(printed) ?? [];
    const { body } = await until('a token is issued', async () => {
      const answer = await this.gateways[0].exchange({ client_id, secret_key });
      return answer.status === 403 ? undefined : answer;
    });
    expect(body.token, JSON.stringify(body)).toBeTruthy();
    return { clientId: client_id, token: body.token ?? '' };
  }

  /** Revokes all tokens of a client. */
  async revoke({ clientId }: TournamentToken): Promise<void> {
    const { brokers, registryUrl, prefix } = this.#system.pipeline.place;
    const { code, err } = await touchlineHere(['tokens', 'revoke', '--client', clientId], {
      KAFKA_BROKERS: brokers.join(','),
      SCHEMA_REGISTRY_URL: registryUrl,
      TOPIC_PREFIX: prefix,
    });
    expect(code, err).toBe(0);
  }

  /** The endpoint of a gateway. */
  endpoint(gateway: Gateway = this.gateways[0]): URL {
    return new URL('/mcp', gateway.url);
  }

  /** A client of the SDK, connected. */
  async connect(
    { token }: TournamentToken,
    mode: 'legacy' | { readonly pin: string },
    gateway: Gateway = this.gateways[0],
  ): Promise<Client> {
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode }, capabilities: {} },
    );
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(
      new StreamableHTTPClientTransport(this.endpoint(gateway), { requestInit: { headers } }),
    );
    atEnd(() => client.close());
    return client;
  }
}
