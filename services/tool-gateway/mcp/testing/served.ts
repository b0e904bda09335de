/** Serves the endpoint for tests, on its own port, from views without a broker. */
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import type { Access } from '#contract/rest/provider.ts';
import { createLogger } from '#service/logger.ts';
import { createMetrics } from '#service/metrics.ts';
import { createSilentApp } from '#service/silent-app.ts';
import { toolQueries } from '#views/queries/tool-queries.ts';
import { createProviderData } from '#views/render/answers/provider-data.ts';
import { EVERYTHING, RECEIVED_AT, type ViewsWorld } from '#views/testing/world.ts';
import { gatewayMetrics } from '../../metrics.ts';
import { type McpOptions, mcpEndpoint } from '../endpoint.ts';
import { leagues, OPEN } from './league.ts';

/** A client and the text of its token. */
export type TestClient = { readonly token: string; readonly access: Access };

/** A client whose contract covers everything. */
export const ALL: TestClient = { token: 'token-of-all', access: EVERYTHING };

/** A client whose contract covers one competition. */
export const NARROW: TestClient = {
  token: 'token-of-narrow',
  access: { clientId: 2, competitions: new Set([OPEN.competition]), operations: null },
};

/** Options that make a client of the SDK use each tested revision. */
const REVISIONS = {
  '2026-07-28': { mode: { pin: '2026-07-28' } },
  '2025-11-25': { mode: 'legacy' },
} as const;

export type Revision = keyof typeof REVISIONS;

export const ALL_REVISIONS = Object.keys(REVISIONS) as Revision[];

/** One replica of the endpoint; several replicas may share a world. */
export class ServedMcp {
  readonly world: ViewsWorld;
  readonly url: URL;
  readonly app: FastifyInstance;
  readonly metrics = createMetrics('tool-gateway');
  /** Contracts by token; a test may remove one. */
  readonly clients: Map<string, Access>;

  private constructor(world: ViewsWorld, app: FastifyInstance, clients: readonly TestClient[]) {
    this.world = world;
    this.app = app;
    this.clients = new Map(clients.map(({ token, access }) => [token, access]));
    this.url = new URL('http://localhost');
  }

  static async start(
    options: Partial<McpOptions> & {
      readonly world?: ViewsWorld;
      readonly clients?: readonly TestClient[];
    } = {},
  ): Promise<ServedMcp> {
    const { world = leagues(), clients = [ALL], ...more } = options;
    const log = createLogger({ name: 'tool-gateway', level: 'silent' });
    const app = createSilentApp({ log }, { trustProxy: false, badRequest: {}, notFound: {} });
    const served = new ServedMcp(world, app, clients);
    const byId = (clientId: number) =>
      [...served.clients.values()].find((access) => access.clientId === clientId);
    await mcpEndpoint(app, {
      data: createProviderData(world.views),
      queries: toolQueries(world.views),
      view: world.views,
      authenticate(bearer) {
        const access = served.clients.get(bearer);
        return access === undefined ? null : { tokenId: `id-of-${bearer}`, clientId: access.clientId };
      },
      accessOf: byId,
      allowedHosts: ['localhost', '127.0.0.1'],
      allowedOrigins: ['localhost', '127.0.0.1'],
      ready: () => true,
      now: () => RECEIVED_AT,
      version: '1.2.3',
      boardUrl: null,
      metrics: gatewayMetrics(served.metrics, () => 0),
      log: app.log,
      onFailure: () => {},
      ...more,
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    served.url.host = `127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    served.url.pathname = '/mcp';
    onTestFinished(() => app.close());
    return served;
  }

  /** Connects a client of the SDK. */
  async connect(revision: Revision, token = ALL.token): Promise<Client> {
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: REVISIONS[revision], capabilities: {} },
    );
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(this.url, { requestInit: { headers } }));
    onTestFinished(() => client.close());
    return client;
  }

  /** Sends a request without the SDK. */
  async post(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ALL.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Requests the stream of a session of revision 2025-11-25. The end of the test closes it. */
  async openStream(
    session: string,
    headers: Readonly<Record<string, string>> = {},
    url: URL = this.url,
  ): Promise<Response> {
    const answer = await fetch(url, {
      headers: {
        authorization: `Bearer ${ALL.token}`,
        accept: 'text/event-stream',
        'mcp-session-id': session,
        'mcp-protocol-version': '2025-11-25',
        ...headers,
      },
    });
    onTestFinished(() => answer.body?.cancel());
    return answer;
  }

  /** Returns the number of open streams, as the metrics show it. */
  async streams(): Promise<number> {
    return Number(/^touchline_mcp_streams\S* (\d+)/m.exec(await this.metrics.metrics())?.[1]);
  }
}

/** A request that begins a session of revision 2025-11-25. */
export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** Returns the session that an answer to `INITIALIZE` begins. */
export function sessionOf(answer: Response): string {
  return answer.headers.get('mcp-session-id') ?? '';
}

/** A request that every revision before 2026-07-28 answers without a session. */
export const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
