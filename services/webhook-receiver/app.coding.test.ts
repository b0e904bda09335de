import {
  brotliCompressSync,
  constants,
  createZstdCompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { SIGNATURE_HEADER, sign, TIMESTAMP_HEADER, VALID_SECONDS } from '#signing/signing.ts';
import { DeliveryRefusedError } from './refusal.ts';
import { LIMIT, openReceiver, SECRET } from './testing/receiver-app.ts';

const BODY = Buffer.from('[{"id":1,"name":"Müller"}]');
const EXPIRY = String(Math.floor(Date.now() / 1000) + VALID_SECONDS);

/** Returns the headers of a delivery whose signature covers these bytes. */
function headersOf(signed: Buffer, encoding: string | null, type = 'application/json') {
  return {
    [TIMESTAMP_HEADER]: EXPIRY,
    [SIGNATURE_HEADER]: sign(signed, EXPIRY, SECRET),
    'content-type': type,
    ...(encoding === null ? {} : { 'content-encoding': encoding }),
  };
}

async function post(port: number, body: Buffer, headers: Record<string, string>) {
  const url = `http://127.0.0.1:${port}/webhook`;
  const answer = await fetch(url, { method: 'POST', body: Uint8Array.from(body), headers });
  return { status: answer.status, text: await answer.text(), accepts: answer.headers.get('accept-encoding') };
}

const answer = (status: number, text: string, accepts: string | null = null) => ({ status, text, accepts });
const ACCEPTED = answer(200, 'Accepted');

/** Returns bytes as a stream of Node compresses them: with an empty frame at the end. */
async function streamed(bytes: Buffer, windowLog = 0): Promise<Buffer> {
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: windowLog } });
  compress.write(bytes.subarray(0, 5));
  compress.end(bytes.subarray(5));
  return Buffer.concat(await compress.toArray());
}

/** Compresses the bytes before and from a position on separately, as two members or frames. */
const inTwo = (bytes: Buffer, at: number, compress: (part: Buffer) => Buffer) =>
  Buffer.concat([compress(bytes.subarray(0, at)), compress(bytes.subarray(at))]);

const CODED: [encoding: string, bytes: Buffer][] = [
  ['gzip', gzipSync(BODY)],
  ['X-GZIP', gzipSync(BODY)],
  ['gzip', inTwo(BODY, 9, gzipSync)],
  ['deflate', deflateSync(BODY)],
  ['deflate', deflateRawSync(BODY)],
  ['br', brotliCompressSync(BODY)],
  ['zstd', zstdCompressSync(BODY)],
  ['zstd', await streamed(BODY)],
  ['zstd', inTwo(BODY, 9, zstdCompressSync)],
  ['gzip, br', brotliCompressSync(gzipSync(BODY))],
  ['deflate,zstd , identity,gzip', gzipSync(zstdCompressSync(deflateSync(BODY)))],
  ['identity', BODY],
  ['', BODY],
];

describe('a compressed delivery', () => {
  test.each(CODED)('is stored decoded, signed as it arrives or before: %j', async (encoding, bytes) => {
    const { port, store } = await openReceiver();
    for (const signed of [bytes, BODY])
      expect(await post(port, bytes, headersOf(signed, encoding))).toEqual(ACCEPTED);
    expect(store.mock.calls.map(([body]) => body)).toEqual([BODY, BODY]);
  });

  test('is refused with 401 when the signature covers neither form', async () => {
    const { port, store, counted } = await openReceiver();
    const other = Buffer.from('[]');
    for (const [encoding, bytes] of CODED)
      expect(await post(port, bytes, headersOf(other, encoding))).toMatchObject({ status: 401 });
    expect(await counted('refused')).toEqual({ signature_mismatch: CODED.length });
    expect(store).not.toHaveBeenCalled();
  });

  test.each<[string, Buffer]>([
    ['gzip', gzipSync(BODY).subarray(0, -1)],
    ['gzip', BODY],
    ['gzip', Buffer.alloc(0)],
    ['deflate', Buffer.concat([deflateSync(BODY), BODY])],
    ['br', Buffer.concat([brotliCompressSync(BODY), BODY])],
    ['zstd', Buffer.concat([zstdCompressSync(BODY), BODY])],
    ['zstd', Buffer.concat(Array(65).fill(zstdCompressSync('')))],
    ['gzip, gzip', gzipSync(BODY)],
  ])(
    'is refused with 400 when its authentic bytes are damaged, so that the sender keeps it: %s',
    async (encoding, bytes) => {
      const { port, store, counted } = await openReceiver();
      expect(await post(port, bytes, headersOf(bytes, encoding))).toEqual(
        answer(400, 'The body does not decode as its Content-Encoding says.'),
      );
      for (const name of ['requests', 'refused_authentic'])
        expect(await counted(name), name).toEqual({ undecodable: 1 });
      // Nobody else learns whether bytes decode.
      expect((await post(port, bytes, headersOf(BODY.subarray(1), encoding))).status).toBe(401);
      expect(store).not.toHaveBeenCalled();
    },
  );

  const FIVE = Array(5).fill('gzip').join();
  test.each(['compress', 'gzip, compress', 'aes128gcm', 'constructor', 'gzip;q=1', FIVE])(
    'is refused with 415 in an encoding that is not supported: %s',
    async (encoding) => {
      const { port, store, counted } = await openReceiver();
      expect(await post(port, BODY, headersOf(BODY, encoding))).toEqual(
        answer(415, 'This Content-Encoding is not supported.', 'gzip, deflate, br, zstd'),
      );
      expect(await counted('requests')).toEqual({ unsupported: 1 });
      expect(store).not.toHaveBeenCalled();
    },
  );

  test('may decode to the limit and not to a byte more', async () => {
    const { port, store } = await openReceiver();
    const largest = Buffer.alloc(LIMIT, ' ');
    for (const [encoding, code] of [
      ['gzip', gzipSync],
      ['gzip, gzip', (bytes: Buffer) => gzipSync(gzipSync(bytes))],
      ['zstd', (bytes: Buffer) => inTwo(bytes, LIMIT, zstdCompressSync)],
    ] as const) {
      expect(await post(port, code(largest), headersOf(code(largest), encoding))).toEqual(ACCEPTED);
      const bomb = code(Buffer.alloc(LIMIT + 1, ' '));
      for (const signed of [bomb, Buffer.from('x')])
        expect(await post(port, bomb, headersOf(signed, encoding))).toEqual(
          answer(413, 'The decoded body is too large.'),
        );
    }
    expect(store).toHaveBeenCalledTimes(3);
  });

  test('allocates no window of zstd above 8 MiB', async () => {
    const { port } = await openReceiver();
    for (const [windowLog, status] of [
      [23, 200],
      [24, 400],
    ] as const) {
      const bytes = await streamed(BODY, windowLog);
      expect((await post(port, bytes, headersOf(bytes, 'zstd'))).status).toBe(status);
    }
  });
});

test('a body that is decoded before its proof releases its bytes with the answer, also for many at once', async () => {
  const { port, app } = await openReceiver();
  const wrong = headersOf(Buffer.from('x'), 'gzip');
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(port, gzipSync(BODY), wrong)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  expect(app.unprovenBytes).toBe(0);
});

describe('a delivery in another charset', () => {
  test.each([
    'application/json; charset=utf-16',
    'application/json;charset="UTF-16LE"',
    'text/plain; format=flowed; charset=shift_jis',
  ])('is refused with 415, so that the sender keeps it: %s', async (type) => {
    const { port, store, counted } = await openReceiver();
    const body = Buffer.from('[]', 'utf16le');
    expect(await post(port, body, headersOf(body, null, type))).toEqual(
      answer(415, 'The body must be UTF-8.'),
    );
    expect(await counted('requests')).toEqual({ unsupported: 1 });
    expect(store).not.toHaveBeenCalled();
  });

  test.each(['utf-8', '"UTF-8"', 'utf8', 'us-ascii', 'ISO-8859-1', 'windows-1252'])(
    'is accepted when its bytes are UTF-8 in any case: %s',
    async (charset) => {
      const { port } = await openReceiver();
      const body = Buffer.from('[{"name":"M\\u00fcller"}]');
      const headers = headersOf(body, null, `application/json; charset=${charset}`);
      expect(await post(port, body, headers)).toEqual(ACCEPTED);
    },
  );

  test('is refused with 415 when its bytes may be other characters in UTF-8, also compressed', async () => {
    const { port, store, counted } = await openReceiver();
    const latin = Buffer.from('["Müller"]', 'latin1');
    const type = 'application/json; charset=iso-8859-1';
    for (const [bytes, encoding] of [
      [latin, null],
      [gzipSync(latin), 'gzip'],
    ] as const)
      expect((await post(port, bytes, headersOf(bytes, encoding, type))).status).toBe(415);
    expect(await counted('refused_authentic')).toEqual({ charset: 2 });
    expect(store).not.toHaveBeenCalled();
  });
});

test('answers 413 to a delivery of too many messages, so that the sender keeps it', async () => {
  const refuse = () => Promise.reject(new DeliveryRefusedError('TOO_MANY_MESSAGES'));
  const { port, counted } = await openReceiver({}, refuse);
  expect(await post(port, BODY, headersOf(BODY, null))).toEqual(
    answer(413, 'The body has too many messages.'),
  );
  expect(await counted('requests')).toEqual({ too_many: 1 });
  expect(await counted('refused_authentic')).toEqual({ too_many_messages: 1 });
});
