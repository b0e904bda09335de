import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLogger } from '#service/logger.ts';
import { SIGNATURE_HEADER, sign, TIMESTAMP_HEADER, VALID_SECONDS } from '#signing/signing.ts';
import { type AdmissionLimits, MAX_OVERHEAD_BYTES } from './admission.ts';
import { ReceiverApp } from './app.ts';
import { RequestTally } from './tally.ts';

const LIMIT = 1_000;
const SECRET = '0'.repeat(32);

/** Starts an app and returns its port. The end of the test closes it. */
async function open(
  store: () => Promise<void> = async () => {},
  limits: Partial<AdmissionLimits> = {},
): Promise<number> {
  const app = new ReceiverApp({
    secrets: [SECRET],
    bodyLimit: LIMIT,
    answerTimeoutMs: 1_000,
    store,
    limits: { maxConnections: 100, maxUnprovenBytes: 1_000_000, ...limits },
    tally: new RequestTally(),
    log: createLogger({ name: 'receiver', level: 'silent' }),
  });
  onTestFinished(() => app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
}

test.each([
  [404, '/nowhere'],
  [404, '/'],
  [405, '/webhook'],
  [400, '/%zz'],
  [400, '/webhook%'],
])('answers %d to a GET of %s without repeating its path or query', async (status, path) => {
  const port = await open();
  const answer = await fetch(`http://127.0.0.1:${port}${path}?token=hush`, {
    headers: { connection: 'close' },
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/plain; charset=utf-8']);
  expect(await answer.text()).not.toMatch(/hush|zz|nowhere|webhook/);
});

const EXPIRY = String(Math.floor(Date.now() / 1000) + VALID_SECONDS);
const headers = `${TIMESTAMP_HEADER}: ${EXPIRY}\r\n${SIGNATURE_HEADER}: ${sign(Buffer.alloc(0), EXPIRY, SECRET)}\r\n`;
const START = `POST /webhook HTTP/1.1\r\nhost: x\r\n${headers}`;

/** Sends requests over one connection. Returns all that is received until the receiver ends it. */
function exchange(port: number, ...requests: string[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = '';
  const socket = connect(port, '127.0.0.1', () => {
    for (const request of requests) socket.write(request);
  });
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  socket.on('error', () => {}).on('close', () => resolve(received));
  return promise;
}

const CLOSE = 'connection: close\r\n';

test.each([
  [413, 'announced as too large', `${headers}content-length: ${LIMIT + 1}\r\n`],
  [401, 'without a signature', `content-length: ${LIMIT}\r\n`],
  [401, 'with an expired signature', `${headers.replace(EXPIRY, '1')}content-length: ${LIMIT}\r\n`],
])('answers %d to a delivery %s before its body arrives', async (status, _what, lines) => {
  const port = await open();
  // A sender that waits for `100 Continue` has its connection closed.
  for (const expects of [CLOSE, 'expect: 100-continue\r\n']) {
    const answer = await exchange(port, `POST /webhook HTTP/1.1\r\nhost: x\r\n${expects}${lines}\r\n`);
    expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  }
});

test('answers 503 with Retry-After to a body above the limit of unproven bytes, then accepts a good delivery', async () => {
  const port = await open(undefined, { maxUnprovenBytes: 1_500 });
  const answer = await exchange(port, `${START}content-length: ${LIMIT}\r\n\r\n${'x'.repeat(LIMIT - 1)}`);
  expect(answer).toMatch(
    /^HTTP\/1\.1 503 [\s\S]*retry-after: 1\r\nconnection: close\r\n\r\nOverloaded, repeat it\.$/,
  );
  const good = await exchange(port, `${START}${CLOSE}content-length: 0\r\n\r\n`);
  expect(good).toMatch(/^HTTP\/1\.1 200 [\s\S]*Accepted$/);
});

test('accepts the largest body at the minimum limit of unproven bytes, with or without an announced length', async () => {
  const port = await open(undefined, { maxUnprovenBytes: LIMIT + MAX_OVERHEAD_BYTES });
  const body = 'x'.repeat(LIMIT);
  const signature = `${TIMESTAMP_HEADER}: ${EXPIRY}\r\n${SIGNATURE_HEADER}: ${sign(Buffer.from(body), EXPIRY, SECRET)}\r\n`;
  const start = `POST /webhook HTTP/1.1\r\nhost: x\r\n${CLOSE}${signature}`;
  const chunks = `1\r\nx\r\n${(LIMIT - 1).toString(16)}\r\n${body.slice(1)}\r\n0\r\n\r\n`;
  for (const rest of [
    `content-length: ${LIMIT}\r\n\r\n${body}`,
    `transfer-encoding: chunked\r\n\r\n${chunks}`,
  ])
    expect(await exchange(port, start + rest)).toMatch(/^HTTP\/1\.1 200 /);
});

test('answers 503 to the oldest unproven connection when one exceeds the limit', async () => {
  const port = await open(undefined, { maxConnections: 1 });
  const oldest = exchange(port, START);
  const good = await exchange(port, `${START}${CLOSE}content-length: 0\r\n\r\n`);
  expect(good).toMatch(/^HTTP\/1\.1 200 /);
  expect(await oldest).toMatch(/^HTTP\/1\.1 503 /);
});

const HEAD = `${START}content-length: ${LIMIT}\r\n\r\n`;

test.each([
  ['a head that does not end', START, ''],
  ['a body that does not arrive', HEAD, ''],
  ['a body that arrives a byte at a time', HEAD, '['],
])('answers 408 to %s, and stores nothing', async (_what, beginning, then) => {
  const store = vi.fn(async () => {});
  const port = await open(store);
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = '';
  const socket = connect(port, '127.0.0.1', () => socket.write(beginning));
  const drip = setInterval(() => socket.write(then), 50);
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  socket.on('error', () => {}).on('close', () => resolve(received));
  const answer = await promise.finally(() => clearInterval(drip));
  const text = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  expect([answer.slice(0, 12), text]).toEqual(['HTTP/1.1 408', 'Too slow.']);
  expect(store).not.toHaveBeenCalled();
});
