import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import {
  SIGNATURE_HEADER,
  type SignatureFault,
  sign,
  TIMESTAMP_HEADER,
  VALID_SECONDS,
} from '#signing/signing.ts';
import { LIMIT, openReceiver, SECRET } from './testing/receiver-app.ts';

test.each([
  [404, '/nowhere'],
  [404, '/'],
  [405, '/webhook'],
  [404, '/%zz'],
])('answers %d to a GET of %s without repeating its path or query', async (status, path) => {
  const { port } = await openReceiver();
  const answer = await fetch(`http://127.0.0.1:${port}${path}?token=hush`, {
    headers: { connection: 'close' },
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/plain; charset=utf-8']);
  expect(await answer.text()).not.toMatch(/hush|zz|nowhere|webhook/);
});

/** Sends texts over one connection, and one each 50 ms. Returns all that is received until the receiver ends it. */
function exchange(port: number, texts: readonly string[], dripped = ''): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = '';
  const socket = connect(port, '127.0.0.1', () => {
    for (const text of texts) socket.write(text);
  });
  const drip = setInterval(() => socket.write(dripped), 50);
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  socket.on('error', () => {}).on('close', () => resolve(received));
  return promise.finally(() => clearInterval(drip));
}

/** Returns the status line's begin and the body of an answer. */
const answerOf = (received: string) => [received.slice(0, 12), received.split('\r\n\r\n')[1]];

const EXPIRY = String(Math.floor(Date.now() / 1000) + VALID_SECONDS);
const CLOSE = 'connection: close\r\n';

/** Returns the headers of a signed body. */
function signed(body: string, secret = SECRET, until = EXPIRY): string {
  return `${TIMESTAMP_HEADER}: ${until}\r\n${SIGNATURE_HEADER}: ${sign(Buffer.from(body), until, secret)}\r\n`;
}

/** Returns a body with the header of its length. */
function announced(body: string): string {
  return `content-length: ${body.length}\r\n\r\n${body}`;
}

/** Returns a body in two chunks, without its length. */
function chunked(body: string): string {
  const rest = body.slice(1);
  const chunks = `1\r\n${body.slice(0, 1)}\r\n${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n`;
  return `transfer-encoding: chunked\r\n\r\n${chunks}`;
}

const POST = 'POST /webhook HTTP/1.1\r\nhost: x\r\n';
const START = POST + signed('');
/** A whole delivery. */
const EMPTY = `${START}${CLOSE}${announced('')}`;
const [TIMESTAMP_LINE = '', SIGNATURE_LINE = ''] = signed('').split(/(?<=\n)/);
const expiring = (timestamp: string) => signed('').replace(EXPIRY, timestamp);
const missing = (header: string) => `The header ${header} is missing.`;
const TOO_LARGE = `The body is larger than ${LIMIT} bytes.`;

// libs/signing/signing.test.ts has further forms of headers.
test.each<[status: number, what: string, lines: string, text: string, fault?: SignatureFault]>([
  [413, 'announced as too large', `${signed('')}content-length: ${LIMIT + 1}\r\n`, TOO_LARGE],
  [401, 'without a signature', TIMESTAMP_LINE, missing(SIGNATURE_HEADER), 'signature_missing'],
  [401, 'without a timestamp', SIGNATURE_LINE, missing(TIMESTAMP_HEADER), 'timestamp_missing'],
  [401, 'that has expired', expiring('1'), 'The signature has expired.', 'timestamp_expired'],
  [
    401,
    'with two signatures',
    signed('') + SIGNATURE_LINE,
    `The header ${SIGNATURE_HEADER} is not 64 lower-case hex digits.`,
    'signature_malformed',
  ],
  [
    401,
    'with two timestamps',
    signed('') + TIMESTAMP_LINE,
    `The header ${TIMESTAMP_HEADER} is not a positive whole number.`,
    'timestamp_malformed',
  ],
])('answers %d to a delivery %s before its body arrives', async (status, _what, lines, text, fault) => {
  const { port, store, counted } = await openReceiver();
  const length = lines.includes('content-length') ? '' : `content-length: ${LIMIT}\r\n`;
  // A sender that waits for `100 Continue` has its connection closed.
  for (const expects of [CLOSE, 'expect: 100-continue\r\n']) {
    const answer = await exchange(port, [`${POST}${expects}${lines}${length}\r\n`]);
    expect(answerOf(answer)).toEqual([`HTTP/1.1 ${status}`, text]);
  }
  expect(await counted('refused')).toEqual(fault === undefined ? {} : { [fault]: 2 });
  expect(store).not.toHaveBeenCalled();
});

test.each<[status: number, what: string, request: string, text: string, outcome: string]>([
  [
    401,
    'a delivery signed with another secret',
    `${POST}${CLOSE}${signed('[]', 'x'.repeat(32))}${announced('[]')}`,
    'The signature does not match.',
    'not_authentic',
  ],
  [
    413,
    'a body that is too large without an announced length',
    `${START}${CLOSE}${chunked('x'.repeat(LIMIT + 1))}`,
    TOO_LARGE,
    'too_large',
  ],
  [404, 'another path', EMPTY.replace('/webhook', '/webhook/x'), 'Not found.', 'not_found'],
  [405, 'another method', EMPTY.replace('POST', 'PUT'), 'Only POST is allowed.', 'method_not_allowed'],
  [400, 'bytes that are no HTTP', 'hello\r\n\r\n', 'Bad request.', 'bad_request'],
  [400, 'two Host headers', `${START}Host: y\r\n${announced('')}`, 'Bad request.', 'bad_request'],
])('answers %d to %s, counts it and stores nothing', async (status, _what, request, text, outcome) => {
  const { port, store, counted } = await openReceiver();
  const answer = await exchange(port, [request]);
  expect(answerOf(answer)).toEqual([`HTTP/1.1 ${status}`, text]);
  expect(answer.includes('allow: POST')).toBe(status === 405);
  expect(await counted('requests')).toEqual({ [outcome]: 1 });
  expect(store).not.toHaveBeenCalled();
});

test('stores nothing of a delivery whose connection ends within the body, even if that part is signed', async () => {
  const { port, store } = await openReceiver();
  const part = `${POST}${signed('[')}content-length: ${LIMIT}\r\n\r\n[`;
  const socket = connect(port, '127.0.0.1', () => socket.end(part));
  await once(socket.resume(), 'close');
  // A later delivery is stored, and only this one.
  await exchange(port, [EMPTY]);
  expect(store.mock.calls).toHaveLength(1);
});

const typed = (type: string) => `${START}${CLOSE}content-type: ${type}\r\n${announced('')}`;

test.each([
  ['at /webhook', EMPTY],
  ['at /webhook/', EMPTY.replace('/webhook', '/webhook/')],
  ['with a query', EMPTY.replace('/webhook', '/webhook/?a=b')],
  [
    'whose signature is valid until 2100',
    `${POST}${CLOSE}${signed('[]', SECRET, '4102444800')}${announced('[]')}`,
  ],
  ...['', 'text/plain', 'application/json; charset=utf-8', 'multipart/form-data', ';;;'].map((type) => [
    `of the content type ${type}`,
    typed(type),
  ]),
] as [string, string][])('accepts a delivery %s', async (_, delivery) => {
  const { port, store } = await openReceiver();
  expect(await exchange(port, [delivery])).toMatch(/^HTTP\/1\.1 200 [\s\S]*Accepted$/);
  expect(store).toHaveBeenCalledTimes(1);
});

test('counts expired deliveries that are authentic, and no forged ones', async () => {
  const { port, counted, store } = await openReceiver();
  const body = 'x'.repeat(LIMIT);
  const expired = String(Math.floor(Date.now() / 1000) - 60);
  for (const [secret, send] of [
    [SECRET, announced],
    [SECRET, chunked],
    ['x'.repeat(32), announced],
  ] as const) {
    const first = `${POST}${signed(body, secret, expired)}${send(body)}`;
    // The second request has its answer when the whole body of the first one was read.
    const answers = await exchange(port, [first, EMPTY]);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
  }
  expect(await counted('refused')).toEqual({ timestamp_expired: 3 });
  expect(await counted('refused_authentic')).toEqual({ timestamp_expired: 2 });
  expect(store).toHaveBeenCalledTimes(3);
});

test('answers 503 with Retry-After to a body above the limit of unproven bytes, then accepts a good delivery', async () => {
  const { port } = await openReceiver({ WEBHOOK_MAX_UNPROVEN_BYTES: 1_500 });
  const large = `${START}${CLOSE}content-length: ${LIMIT}\r\n\r\n${'x'.repeat(LIMIT - 1)}`;
  const answer = await exchange(port, [large]);
  expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1\r\n[\s\S]*\r\n\r\nOverloaded, repeat it\.$/);
  expect(await exchange(port, [EMPTY])).toMatch(/^HTTP\/1\.1 200 [\s\S]*Accepted$/);
});

test('accepts the largest body at the minimum limit of unproven bytes, with or without an announced length', async () => {
  const { port } = await openReceiver({ WEBHOOK_MAX_UNPROVEN_BYTES: 3 * LIMIT });
  const body = 'x'.repeat(LIMIT);
  for (const send of [announced, chunked])
    expect(await exchange(port, [`${POST}${CLOSE}${signed(body)}${send(body)}`])).toMatch(/^HTTP\/1\.1 200 /);
});

const HEAD = `${START}content-length: ${LIMIT}\r\n\r\n`;

test.each([
  ['a head that does not end', START, ''],
  ['a body that does not arrive', HEAD, ''],
  ['a body that arrives a byte at a time', HEAD, '['],
])('answers 408 to %s, and stores nothing', async (_what, beginning, then) => {
  const { port, store } = await openReceiver();
  const answer = await exchange(port, [beginning], then);
  expect(answerOf(answer)).toEqual(['HTTP/1.1 408', 'Too slow.']);
  expect(store).not.toHaveBeenCalled();
});
