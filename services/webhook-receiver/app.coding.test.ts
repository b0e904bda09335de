import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { SIGNATURE_HEADER, sign, TIMESTAMP_HEADER, VALID_SECONDS } from '#signing/signing.ts';
import { DeliveryRefusedError } from './refusal.ts';
import { LIMIT, openReceiver, SECRET } from './testing/receiver-app.ts';

const BODY = Buffer.from('[{"id":1,"name":"Müller"}]');
const EXPIRY = String(Math.floor(Date.now() / 1000) + VALID_SECONDS);

/** Returns the headers of a delivery whose signature covers these bytes. */
function headersOf(signed: Buffer, encoding: string | null) {
  return {
    [TIMESTAMP_HEADER]: EXPIRY,
    [SIGNATURE_HEADER]: sign(signed, EXPIRY, SECRET),
    'content-type': 'application/json',
    ...(encoding === null ? {} : { 'content-encoding': encoding }),
  };
}

async function post(port: number, body: Buffer, headers: Record<string, string>) {
  const url = `http://127.0.0.1:${port}/webhook`;
  const answer = await fetch(url, { method: 'POST', body: Uint8Array.from(body), headers });
  return { status: answer.status, text: await answer.text(), accepts: answer.headers.get('accept-encoding') };
}

const ACCEPTED = { status: 200, text: 'Accepted', accepts: null };

const CODED: [encoding: string, bytes: Buffer][] = [
  ['gzip', gzipSync(BODY)],
  ['X-GZIP', gzipSync(BODY)],
  ['gzip', Buffer.concat([gzipSync(BODY.subarray(0, 9)), gzipSync(BODY.subarray(9))])],
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
    ['gzip', Buffer.concat([gzipSync(BODY), BODY])],
  ])(
    'is refused with 400 when its authentic bytes are damaged, so that the sender keeps it: %s',
    async (encoding, bytes) => {
      const { port, store, counted } = await openReceiver();
      expect(await post(port, bytes, headersOf(bytes, encoding))).toMatchObject({
        status: 400,
        text: 'The body does not decode as its Content-Encoding says.',
      });
      for (const name of ['requests', 'refused_authentic'])
        expect(await counted(name), name).toEqual({ undecodable: 1 });
      // Nobody else learns whether bytes decode.
      expect((await post(port, bytes, headersOf(BODY.subarray(1), encoding))).status).toBe(401);
      expect(store).not.toHaveBeenCalled();
    },
  );

  test('is refused with 415 in another encoding, and in several', async () => {
    const { port, store, counted } = await openReceiver();
    for (const encoding of ['compress', 'gzip, gzip', 'br', 'gzip;q=1'])
      expect(await post(port, BODY, headersOf(BODY, encoding))).toEqual({
        status: 415,
        text: 'This Content-Encoding is not supported.',
        accepts: 'gzip',
      });
    expect(await counted('requests')).toEqual({ unsupported: 4 });
    expect(store).not.toHaveBeenCalled();
  });

  test('may decode to the limit and not to a byte more', async () => {
    const { port, store } = await openReceiver();
    const largest = Buffer.alloc(LIMIT, ' ');
    expect(await post(port, gzipSync(largest), headersOf(gzipSync(largest), 'gzip'))).toEqual(ACCEPTED);
    const bomb = gzipSync(Buffer.alloc(LIMIT + 1, ' '));
    for (const signed of [bomb, Buffer.from('x')])
      expect(await post(port, bomb, headersOf(signed, 'gzip'))).toMatchObject({
        status: 413,
        text: 'The decoded body is too large.',
      });
    expect(store).toHaveBeenCalledTimes(1);
  });
});

describe('a body that must be decoded before its proof', () => {
  const forged = gzipSync(BODY);
  const wrong = headersOf(Buffer.from('x'), 'gzip');

  test('releases its bytes with the answer, also for many at once', async () => {
    const { port, app } = await openReceiver();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(port, forged, wrong)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(app.unprovenBytes).toBe(0);
  });
});

test('answers 413 to a delivery of too many messages, so that the sender keeps it', async () => {
  const refuse = () => Promise.reject(new DeliveryRefusedError('TOO_MANY_MESSAGES'));
  const { port, counted } = await openReceiver({}, refuse);
  expect(await post(port, BODY, headersOf(BODY, null))).toMatchObject({
    status: 413,
    text: 'The body has too many messages.',
  });
  expect(await counted('requests')).toEqual({ too_many: 1 });
  expect(await counted('refused_authentic')).toEqual({ too_many_messages: 1 });
});
