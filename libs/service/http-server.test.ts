import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHttpServer, type HttpServerOptions, rawAnswer } from './http-server.ts';

async function serve(
  options: HttpServerOptions,
  listener: RequestListener = (_request, response) => response.end('fine'),
): Promise<Server> {
  const server = createHttpServer(options, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

function open(server: Server): Socket {
  const socket = connect(portOf(server), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

async function allOf(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

describe('createHttpServer', () => {
  test.each([
    ['half a head', 'GET / HTTP/1.1\r\nhost: x\r\n'],
    ['half a body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nab'],
    ['nothing', ''],
  ])('answers 408 to a client that sends only %s', async (_name, start) => {
    const server = await serve({ requestMs: 100 }, () => {});
    const socket = open(server);
    socket.write(start);
    expect(await allOf(socket)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  });

  test.each([
    ['two Host headers', 'GET / HTTP/1.1\r\nhost: x\r\nHOST: y'],
    ['the same Host twice', 'GET / HTTP/1.1\r\nHost: x\r\nhost: x'],
    [
      'two before a body',
      'POST / HTTP/1.1\r\nhost: x\r\nhost: y\r\nexpect: 100-continue\r\ncontent-length: 1',
    ],
  ])('answers 400 to a request with %s, and passes it on to nobody', async (_name, request) => {
    const socket = open(await serve({}, () => expect.unreachable()));
    socket.write(`${request}\r\n\r\n`);
    // Node itself answers an `Expect` first where a server does not.
    expect(await allOf(socket)).toMatch(/^(HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 400 Bad Request\r\n/);
  });

  test('passes on a request with one Host among many headers', async () => {
    const socket = open(await serve({}));
    socket.write('GET / HTTP/1.1\r\nx-host: a\r\nhost: x\r\nconnection: close\r\naccept: host\r\n\r\n');
    expect(await allOf(socket)).toContain('fine');
  });

  test('closes connections above the limit, and warns once', async () => {
    const warnings: unknown[] = [];
    const log = { warn: (...args: unknown[]) => warnings.push(args) };
    const server = await serve({ maxConnections: 2, log });
    const [first, second] = [open(server), open(server)];
    await Promise.all([once(first, 'connect'), once(second, 'connect')]);
    expect(await allOf(open(server))).toBe('');
    expect(await allOf(open(server))).toBe('');
    const dropped = { code: 'CONNECTIONS_DROPPED', maxConnections: 2 };
    expect(warnings).toEqual([[dropped, expect.stringContaining('limit')]]);
    first.end('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(await allOf(first)).toContain('fine');
  });

  test('closes each connection after its answer while it drains', async () => {
    const draining = new AbortController();
    const server = await serve({ draining: draining.signal });
    const socket = open(server);
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const [first] = await once(socket, 'data');
    expect(String(first)).toMatch(/\r\nconnection: keep-alive\r\n/i);
    draining.abort();
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await allOf(socket)).toMatch(/\r\nconnection: close\r\n/i);
  });

  test.each([
    [false, null],
    [true, 'max-age=31536000'],
  ])('sends strict-transport-security if clients use https: %s', async (https, expected) => {
    const { headers } = await fetch(`http://127.0.0.1:${portOf(await serve({ https }))}/`);
    expect(headers.get('strict-transport-security')).toBe(expected);
  });
});

test.each<[string, RequestListener]>([
  ['set one by one', (_, to) => to.setHeader('cache-control', 'max-age=1').setHeader('etag', 'x').end('ab')],
  [
    'passed to writeHead',
    (_, to) => to.writeHead(200, { 'cache-control': 'max-age=1', etag: 'x' }).end('ab'),
  ],
])('sends the common headers beside headers %s', async (_name, listener) => {
  const server = await serve({ https: true }, listener);
  const { headers, status } = await fetch(`http://127.0.0.1:${portOf(server)}/`);
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'max-age=1',
    etag: 'x',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
  });
});

test('sends the common headers with rawAnswer', async () => {
  const [head = '', body] = rawAnswer('400 Bad Request', 'ö', { 'retry-after': '1' }).split('\r\n\r\n');
  expect(body).toBe('ö');
  expect(head.split('\r\n')).toEqual([
    'HTTP/1.1 400 Bad Request',
    'content-type: application/json; charset=utf-8',
    'content-length: 2',
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    "content-security-policy: default-src 'none'; frame-ancestors 'none'",
    'referrer-policy: no-referrer',
    'retry-after: 1',
    'connection: close',
  ]);
});
