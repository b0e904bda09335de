import { expect, test } from 'vitest';
import { checkSignature, sign } from '#signing/signing.ts';
import { IncomingBody, SenderConnection } from './admission.ts';
import type { ContentCodings } from './content-coding.ts';
import { UnprovenDecoding } from './unproven-decoding.ts';

const TIMEOUT_MS = 1_000;
const BODY = Buffer.from('[]');

function incoming(): IncomingBody {
  const secret = 's'.repeat(32);
  const headers = { timestamp: '1790000300', signature: sign(BODY, '1790000300', secret) };
  const check = checkSignature(headers, [secret], 0);
  if (typeof check === 'string') throw new Error(check);
  const body = new IncomingBody(check, BODY.length);
  body.add(BODY);
  return body;
}

/** A decoding whose codings end when the test says so. */
function decodings() {
  const decoding = new UnprovenDecoding(100, TIMEOUT_MS);
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const decode = (
    name: string,
    options: { proven?: boolean; arrivedAt?: number; isHeld?: () => boolean } = {},
  ) => {
    const { proven = false, arrivedAt = performance.now(), isHeld = () => true } = options;
    const connection = new SenderConnection(() => {});
    connection.proven = proven;
    const codings: ContentCodings = [
      (bytes) => {
        running.push(name);
        return new Promise((resolve) => ends.set(name, () => resolve(bytes)));
      },
    ];
    return decoding.decode(incoming(), { codings, arrivedAt, connection }, isHeld);
  };
  return { decode, running, end: (name: string) => ends.get(name)?.() };
}

test('decodes one body at a time before its proof, and those of proven connections at once', async () => {
  const { decode, running, end } = decodings();
  const first = decode('first');
  const second = decode('second');
  const sender = decode('sender', { proven: true });
  await expect.poll(() => running).toEqual(['sender', 'first']);
  end('sender');
  expect(await sender).toEqual(BODY);
  expect(running).toEqual(['sender', 'first']);
  end('first');
  expect(await first).toEqual(BODY);
  await expect.poll(() => running).toEqual(['sender', 'first', 'second']);
  end('second');
  expect(await second).toEqual(BODY);
});

test('decodes no body whose turn comes after its timeout, or whose connection was refused', async () => {
  const { decode, running } = decodings();
  expect(await decode('late', { arrivedAt: performance.now() - TIMEOUT_MS - 1 })).toBe('late');
  expect(await decode('dropped', { isHeld: () => false })).toBe('late');
  expect(running).toEqual([]);
});
