import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { fastify } from 'fastify';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { Authority, writeCertificate } from '../../test/support/certificates.ts';
import { untilTrue } from '../../test/support/poll.ts';
import { createHttpServer, fastifyServer, refuseBadRequest } from './http-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'touchline-https-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the common name in a server's certificate. */
function shownBy(port: number, ca: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ port, host: '127.0.0.1', ca, servername: 'localhost' }, () => {
    resolve(String(socket.getPeerCertificate().subject.CN));
    socket.destroy();
  }).on('error', reject);
  return promise;
}

test('uses a renewed certificate without a restart, and skips an incomplete renewal', async () => {
  const authority = await Authority.create();
  const { cert: ca } = authority.ca;
  const files = writeCertificate(folder, 'server', await authority.sign('first'));
  const plain = createHttpServer({ tls: files }).listen(0, '127.0.0.1');
  const app = fastify(fastifyServer({ tls: files }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const ports = [plain, app.server].map((server) => (server.address() as AddressInfo).port);
  const shown = () => Promise.all(ports.map((port) => shownBy(port, ca)));
  try {
    expect(await shown()).toEqual(['first', 'first']);
    const second = await authority.sign('second');
    const warned = new Promise((resolve) => process.once('warning', resolve));
    writeCertificate(folder, 'server', { cert: second.cert, key: 'half a ke' });
    expect(String(await warned)).toContain('HTTP_TLS_CERT_FILE and HTTP_TLS_KEY_FILE cannot be used');
    expect(await shown()).toEqual(['first', 'first']);
    writeCertificate(folder, 'server', second);
    await untilTrue('both show the second', async () => String(await shown()) === 'second,second');
  } finally {
    plain.close();
    await app.close();
  }
});

test('closes a connection without a handshake, even if errors are answered', async () => {
  const authority = await Authority.create();
  const tls = writeCertificate(folder, 'patient', await authority.sign('patient'));
  const server = createHttpServer({ tls, requestMs: 100 }).on('clientError', refuseBadRequest);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const silent = connectTcp((server.address() as AddressInfo).port, '127.0.0.1').resume();
  onTestFinished(() => {
    silent.destroy();
    server.close();
  });
  await untilTrue('it is closed', () => silent.closed);
});
