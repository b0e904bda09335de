/** Who may open the board behind a real nginx on the same machine. */
import { request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { type ApiReplica, startApi } from '../../support/api.ts';
import { hasNginx, startNginx } from '../../support/nginx.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Settings that people write into the `location` of a proxy. */
const PROXIES: Readonly<Record<string, string>> = {
  'with the defaults of nginx': '',
  'with the name of the client': 'proxy_http_version 1.1; proxy_set_header Host $host;',
  'with the usual headers': `proxy_http_version 1.1; proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Forwarded-Host $host;`,
  'that passes on the client’s forwarding headers':
    'proxy_http_version 1.1; proxy_set_header Host localhost; proxy_set_header X-Real-IP $remote_addr;',
  'that looks like a client on this machine': 'proxy_http_version 1.1; proxy_set_header Host localhost;',
};

/** Headers that a client may send to look like a client on this machine. */
const CLIENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'an honest client': {},
  'X-Forwarded-Host: localhost': { 'x-forwarded-host': 'localhost', 'x-forwarded-proto': 'http' },
  'X-Forwarded-For: 127.0.0.1': { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1;host=localhost' },
};

/** Settings of an api behind a proxy. */
const DEPLOYMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'the default settings': {},
  'API_BOARD=on and TRUSTED_PROXIES': { API_BOARD: 'on', TRUSTED_PROXIES: '127.0.0.1' },
  'API_BOARD=on and API_PUBLIC_URL': { API_BOARD: 'on', API_PUBLIC_URL: 'https://matches.example' },
};

const PAGES = ['/', '/standings', '/board/events', '/match/1'];

let pipeline: Pipeline;

describe.skipIf(!hasNginx)('behind a proxy (needs nginx)', () => {
  beforeAll(async () => {
    pipeline = await Pipeline.create({ ...backbone(), services: ['api'] });
  });

  test.each(Object.entries(DEPLOYMENTS))('with %s the board is never open', async (_, settings) => {
    const api = await startApi(pipeline.connection, temporaryFolder(), settings);
    const ports = await behind(api, Object.values(PROXIES));
    const open: string[] = [];
    for (const [at, proxy] of Object.keys(PROXIES).entries()) {
      for (const [client, headers] of Object.entries(CLIENTS)) {
        for (const page of PAGES) {
          const status = await statusOf(ports[at] as number, page, headers);
          if (status !== 401) open.push(`${proxy}, ${client}, ${page}: ${status}`);
        }
      }
    }
    expect(open).toEqual([]);
  });

  test('with only API_BOARD=on the board is open to this machine, but not to a proxy that shows itself', async () => {
    const api = await startApi(pipeline.connection, temporaryFolder(), { API_BOARD: 'on' });
    const { 'that looks like a client on this machine': _, ...shown } = PROXIES;
    expect((await api.get('/')).status).toBe(200);
    for (const port of await behind(api, Object.values(shown)))
      for (const headers of Object.values(CLIENTS)) expect(await statusOf(port, '/', headers)).toBe(401);
  });
});

/** Starts a proxy for each `location`. Returns their ports. */
async function behind(api: ApiReplica, locations: readonly string[]): Promise<readonly number[]> {
  const servers = locations.map((settings) => `location / { ${settings} proxy_pass ${api.url}; }`);
  return (await startNginx(servers)).ports;
}

/** Returns the status of a page that is requested by a public name. */
function statusOf(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({
      port,
      host: '127.0.0.1',
      path,
      headers: { host: 'matches.example', ...headers },
    });
    asked.on('response', (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.end();
  });
}
