import type { ServerResponse } from 'node:http';
import { backbone, type TestBackbone } from '../setup/backbone.ts';
import { CLIENTS_KEY, connectionEnv } from './environment.ts';
import { serve } from './listen.ts';
import { startService } from './processes.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { makeTopicsOf } from './topics.ts';

/** Creates the topics of a gateway and an api under a new prefix, by default on the broker of the run. */
export async function prepareTopics(
  changes: Partial<Pick<TestBackbone, 'brokers'>> = {},
): Promise<TestBackbone> {
  const at = { ...backbone(), ...changes };
  const { brokers, prefix } = at;
  await makeTopicsOf(['api', 'tool-gateway'], { brokers, prefix, partitions: 1 });
  return at;
}

type ExchangeBody = {
  readonly error?: string;
  readonly token?: string;
  readonly expires_at?: string | null;
  readonly warning?: string;
};

/** Starts a replica that trusts this machine as its proxy, and waits until it is ready. */
export async function startGateway(
  connection: TestBackbone,
  upstream: string,
  settings: Readonly<Record<string, string>> = {},
) {
  const service = startService('tool-gateway', {
    ...connectionEnv(connection),
    DATA_DIR: temporaryFolder(),
    TOOLS_PORT: '0',
    CLIENTS_KEY,
    UPSTREAM_BASE_URL: upstream,
    TRUSTED_PROXIES: '127.0.0.1',
    ...settings,
  });
  const url = await service.url();
  return {
    service,
    url,
    /** Requests a token as a client with this address behind the tests' proxy. */
    async exchange(body: unknown, address = '198.18.0.1') {
      const response = await fetch(`${url}/api/v1/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: JSON.stringify(body),
      });
      const { status, headers } = response;
      return { status, headers, body: (await response.json()) as ExchangeBody };
    },
    /** Returns the status of an empty request of the tools: 400 with a valid token, 401 without. */
    async mcp(token: string): Promise<number> {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      return (await fetch(`${url}/mcp`, { method: 'POST', headers, body: '{}' })).status;
    },
  };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** Answers like an upstream that knows no client. */
export function refuse(_: URLSearchParams, response: ServerResponse): void {
  response.writeHead(401).end('{}');
}

/** Starts an upstream with the given answers. By default it knows no client. */
export async function startUpstream(answer: typeof refuse = refuse): Promise<{ readonly url: string }> {
  const url = await serve((request, response) =>
    answer(new URL(request.url ?? '', 'http://upstream').searchParams, response),
  );
  return { url };
}

/** Answers like an upstream that knows the credentials. */
export function grant(query: URLSearchParams, response: ServerResponse): void {
  const data = { client_id: query.get('client_id'), token: 'rest-token', token_expiration: 1_790_003_600 };
  response.end(
    JSON.stringify({ api: { ver: '2.0.0', timestamp: 1_790_000_000, method: { name: 'oauth' }, data } }),
  );
}
