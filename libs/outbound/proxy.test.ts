import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { answers, HttpsReceiver } from '../../test/support/https-receiver.ts';
import { AllowedRanges } from './addresses.ts';
import { proxyFor } from './proxy.ts';
import { endpointOf } from './testing/endpoints.ts';

const BODY = '[]';

/** A proxy that opens tunnels unless `status` is another than 200, and counts the targets it was asked for. */
async function startProxy(status = 200): Promise<{ url: string; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer().on('connect', (request: IncomingMessage, near: Socket, head: Buffer) => {
    asked.push(request);
    sockets.add(near.on('error', () => {}));
    if (status !== 200) {
      near.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const [host, port] = (request.url ?? '').split(':');
    const far = connect(Number(port), host, () => {
      near.write('HTTP/1.1 200 OK\r\n\r\n');
      far.write(head);
      near.pipe(far).pipe(near);
    }).on('error', () => near.destroy());
    sockets.add(far);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe('a webhook behind an egress proxy', () => {
  test('is sent through a tunnel to the checked address, with the certificate of its name', async () => {
    const receiver = await HttpsReceiver.start(answers.accepted);
    const { url, asked } = await startProxy();
    const proxy = { HTTPS_PROXY: url.replace('://', '://us%40er:p%3Aw@'), NO_PROXY: '' };
    const endpoint = endpointOf(
      `https://localhost:${receiver.port}/webhook`,
      { ca: receiver.ca, proxy },
      async () => ['10.0.0.1', '127.0.0.1'],
    );
    for (let n = 0; n < 2; n++) expect(await endpoint.post(BODY)).toEqual({ kind: 'accepted' });
    expect(asked.map(({ url: target }) => target)).toEqual([`127.0.0.1:${receiver.port}`]);
    const credentials = Buffer.from('us@er:p:w').toString('base64');
    expect(asked[0]?.headers['proxy-authorization']).toBe(`Basic ${credentials}`);
    expect(receiver.received[0]?.headers.host).toBe(`localhost:${receiver.port}`);
  });

  test('is refused where no address of its name may be called: the proxy is not asked', async () => {
    const { url, asked } = await startProxy();
    const proxy = { HTTPS_PROXY: url, NO_PROXY: '' };
    const allowed = new AllowedRanges([]);
    const endpoint = endpointOf('https://inside.example/', { allowed, proxy }, async () => ['10.0.0.1']);
    expect(await endpoint.post(BODY)).toEqual({ kind: 'refused', reason: 'address_not_public' });
    expect(asked).toEqual([]);
  });

  test('fails with a reason where the proxy opens no tunnel, or is not there', async () => {
    const { url } = await startProxy(407);
    const to = (proxyUrl: string) =>
      endpointOf('https://127.0.0.1:9/', { proxy: { HTTPS_PROXY: proxyUrl, NO_PROXY: '' } }).post(BODY);
    expect(await to(url)).toEqual({ kind: 'failed', reason: 'PROXY_REFUSED' });
    expect(await to('http://127.0.0.1:9')).toEqual({ kind: 'failed', reason: 'ECONNREFUSED' });
  });
});

test.each([
  ['', 'a.example', '443', true],
  ['*', 'a.example', '443', false],
  ['a.example', 'a.example', '443', false],
  ['A.Example', 'b.a.example', '443', false],
  ['.a.example', 'b.a.example', '443', false],
  ['*.a.example', 'b.a.example', '443', false],
  ['a.example', 'ba.example', '443', true],
  ['x.example, a.example:8443', 'a.example', '443', true],
  ['x.example a.example:8443', 'a.example', '8443', false],
  ['10.0.0.1', '10.0.0.1', '443', false],
  ['[::1]:443', '[::1]', '443', false],
  ['::1', '[::1]', '443', false],
  ['2001:db8::1', '[2001:db8::1]', '443', false],
  [',', 'a.example', '443', true],
])('with NO_PROXY %j, %s:%s is reached through the proxy: %s', (NO_PROXY, host, port, isProxied) => {
  expect(proxyFor({ HTTPS_PROXY: 'http://p.example:3128', NO_PROXY }, host, port) !== null).toBe(isProxied);
  expect(proxyFor({ HTTPS_PROXY: undefined, NO_PROXY }, host, port)).toBeNull();
});
