import type { RequestListener } from 'node:http';
import { inspect } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { serve } from '../../../test/support/listen.ts';
import { httpTransport } from './provider.ts';

/** Returns a URL of a server with this handler. */
const urlOf = async (answer: RequestListener) => `${await serve(answer)}/v2/feed?token=tok3n`;

const { signal } = new AbortController();
const MAX_BYTES = 1_000;
/** A transport whose timeout no test reaches. */
const transport = httpTransport({ timeoutMs: 60_000, maxBytes: MAX_BYTES });

/** Returns the error of a request, after checking that it holds no part of the URL. */
async function failure(url: string, during = signal, send = transport): Promise<unknown> {
  const error: unknown = await send('feed.index', url, during).catch((thrown: unknown) => thrown);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/tok3n|127\.0\.0\.1/);
  return error;
}

test('returns the status and the bytes', async () => {
  const url = await urlOf((_request, response) => response.writeHead(418).end('é'));
  expect(await transport('feed.index', url, signal)).toEqual({ status: 418, body: Buffer.from('é') });
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('decompresses %s, and limits the decompressed size', async (encoding, compress) => {
  const serveText = (text: string): Promise<string> =>
    urlOf((request, response) => {
      expect(request.headers['accept-encoding']).toContain(encoding);
      response.writeHead(200, { 'content-encoding': encoding }).end(compress(text));
    });
  const answer = await transport('feed.index', await serveText('é'), signal);
  expect(answer).toEqual({ status: 200, body: Buffer.from('é') });
  expect(await failure(await serveText('x'.repeat(MAX_BYTES + 1)))).toMatchObject({ code: 'TOO_LARGE' });
});

test('rejects a body that does not have its announced encoding', async () => {
  const url = await urlOf((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain'),
  );
  expect(await failure(url)).toMatchObject({ code: 'UNREACHABLE' });
});

test('does not follow a redirect', async () => {
  let requests = 0;
  const url = await urlOf((_request, response) => {
    requests += 1;
    response.writeHead(302, { location: '/elsewhere?token=tok3n' }).end();
  });
  expect((await transport('feed.index', url, signal)).status).toBe(302);
  expect(requests).toBe(1);
});

test('stops reading an answer above the size limit', async () => {
  const url = await urlOf((_request, response) => {
    const timer = setInterval(() => response.write('x'.repeat(600)), 5);
    response.on('close', () => clearInterval(timer));
  });
  expect(await failure(url)).toMatchObject({ code: 'TOO_LARGE' });
});

test('takes a few informational answers, and ends a flood of them', async () => {
  const hinted = (hints: number): Promise<string> =>
    urlOf((_request, response) => {
      for (let n = 0; n < hints; n++) response.writeEarlyHints({ link: '</a>' });
      response.end('fine');
    });
  expect(await transport('feed.index', await hinted(16), signal)).toMatchObject({ status: 200 });
  const message = expect.stringContaining('INFORMATIONAL_FLOOD');
  expect(await failure(await hinted(17))).toMatchObject({ code: 'UNREACHABLE', message });
});

test('times out when an answer does not begin or does not end', async () => {
  const impatient = httpTransport({ timeoutMs: 200, maxBytes: MAX_BYTES });
  expect(await failure(await urlOf(() => {}), signal, impatient)).toMatchObject({ code: 'TIMEOUT' });
  const url = await urlOf((_request, response) => void response.writeHead(200).write('{'));
  expect(await failure(url, signal, impatient)).toMatchObject({ code: 'TIMEOUT' });
});

test('reports a broken or impossible connection as unreachable', async () => {
  const broken = await urlOf((request) => request.socket.destroy());
  expect(await failure(broken)).toMatchObject({ code: 'UNREACHABLE' });
  const cut = await urlOf((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{');
    setImmediate(() => response.destroy());
  });
  expect(await failure(cut)).toMatchObject({ code: 'UNREACHABLE' });
  expect(await failure('http://127.0.0.1:1/v2/feed?token=tok3n')).toMatchObject({ code: 'UNREACHABLE' });
  expect(await failure('http://no such host/?token=tok3n')).toMatchObject({ code: 'UNREACHABLE' });
});

test('rejects an aborted request as stopped', async () => {
  const url = await urlOf(() => {});
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 20);
  expect(await failure(url, stop.signal)).toMatchObject({ code: 'STOPPED' });
});
