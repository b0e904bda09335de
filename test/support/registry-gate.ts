import { request } from 'node:http';
import { createServer } from 'node:https';
import type { Certificate } from './certificates.ts';
import { listen } from './listen.ts';

/** A reverse proxy in front of a registry, with HTTPS and basic authentication. */
export type RegistryGate = { readonly url: string; password: string };

/** Starts a gate to a registry, which is stopped after the test or the file. The user name is `registrar`. */
export async function startRegistryGate(registryUrl: string, tls: Certificate): Promise<RegistryGate> {
  const { origin, pathname } = new URL(registryUrl);
  const server = createServer(tls, (incoming, answer) => {
    const given = incoming.headers.authorization ?? '';
    if (given !== `Basic ${Buffer.from(`registrar:${gate.password}`).toString('base64')}`)
      return void answer.writeHead(401).end('{"error_code":401,"message":"who?"}');
    const { authorization: _, host: _host, ...headers } = incoming.headers;
    const onward = request(`${origin}${incoming.url}`, { method: incoming.method ?? 'GET', headers });
    onward.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    incoming.pipe(onward);
  });
  const gate: RegistryGate = {
    url: `https://localhost:${await listen(server)}${pathname}`,
    password: 'registry-password',
  };
  return gate;
}
