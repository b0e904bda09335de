import { expect } from 'vitest';
import { normalized } from '#ingestion/testing/normalized.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { CLIENTS_KEY, connectionEnv } from './environment.ts';
import type { PipelineConnection } from './pipeline.ts';
import { until } from './poll.ts';
import { startService, type TestService } from './processes.ts';
import { touchlineHere } from './touchline-here.ts';

export class ApiReplica {
  readonly service: TestService;
  readonly url: string;

  constructor(service: TestService, url: string) {
    this.service = service;
    this.url = url;
  }

  get(path: string, request?: RequestInit): Promise<Response> {
    return fetch(this.url + path, request);
  }

  async season(token: string): Promise<unknown> {
    return (await this.api(`/v2/events?season_id=25528&token=${token}`)).data;
  }

  /** Requests a path, expects the status and returns `api` of the answer. */
  async api(path: string, status = 200) {
    const response = await this.get(path);
    const body = await response.text();
    expect(response.status, `${path} ${body.slice(0, 200)}`).toBe(status);
    return JSON.parse(body).api;
  }

  /** Returns a token for credentials, or for those that the command line has printed. */
  token(credentials: ClientCredentials | string): Promise<string> {
    const { id, secret } = typeof credentials === 'string' ? credentialsOf(credentials) : credentials;
    // The replica may not have read the client yet.
    return until('the client is known', async () => {
      const response = await this.get(`/v2/oauth?client_id=${id}&secret_key=${secret}`).catch(() => null);
      return response?.ok ? JSON.parse(await response.text()).api.data.token : undefined;
    });
  }
}

export async function startApi(
  connection: PipelineConnection,
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ApiReplica> {
  const service = startService('api', {
    ...connectionEnv(connection),
    DATA_DIR: dataDir,
    API_PORT: '0',
    CLIENTS_KEY,
    ...settings,
  });
  return new ApiReplica(service, await service.url());
}

export type ClientCredentials = { readonly id: string; readonly secret: string };

export function credentialsOf(printed: string): ClientCredentials {
  const [, id = '', secret = ''] = /client_id (\d+)[\s\S]*secret_key (\w+)/.exec(printed) ?? [];
  return { id, secret };
}

export async function clients(connection: PipelineConnection, line: string): Promise<string> {
  const { code, out, err } = await touchlineHere(['clients', ...line.split(' ')], {
    ...connectionEnv(connection),
    CLIENTS_KEY,
  });
  expect(code, err).toBe(0);
  return out;
}

/** Returns provider messages as the receiver normalizes them, received now. */
export function received(...messages: readonly unknown[]): NormalizedMessage[] {
  return messages.map((message) => normalized(message, Date.now()));
}
