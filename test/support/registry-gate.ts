import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { atEnd } from './at-end.ts';
import type { Certificate } from './certificates.ts';

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
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const gate: RegistryGate = { url: `https://localhost:${port}${pathname}`, password: 'registry-password' };
  return gate;
}
