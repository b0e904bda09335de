import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, test } from 'vitest';
import { endpoint, inputFor, SECRET, URL_OF_1024 } from './testing/test-endpoint.ts';

const VALID = inputFor('https://example.test/');

/** Returns the names of the failed fields of an answer, each of which must have at least one text. */
function failed(response: LightMyRequestResponse): string[] {
  const body = response.json();
  expect(response.statusCode).toBe(400);
  expect(Object.keys(body)).toEqual(['status', 'message', 'details']);
  expect(body).toMatchObject({ status: 'ValidationFailed', message: 'these fields are missing or wrong' });
  for (const texts of Object.values(body.details)) {
    expect(texts).toEqual(expect.arrayContaining([expect.stringMatching(/./)]));
  }
  return Object.keys(body.details);
}

const ALL = ['url', 'secret', 'clientId'];

/** Values that a field refuses; its absence comes with them. */
const WRONG: Readonly<Record<keyof typeof VALID, readonly unknown[]>> = {
  url: [
    1,
    ['https://example.test/'],
    '',
    'http://example.test/',
    'ftp://example.test/',
    'example.test/webhook',
    'https://',
    'https://exa mple.test/',
    'https://example.test:99999/',
    `${URL_OF_1024}x`,
    `${URL_OF_1024}${'x'.repeat(1_000_000)}`,
  ],
  secret: [32, '', SECRET.slice(1), `${SECRET}0`, SECRET.repeat(31_000)],
  clientId: ['1', 0, -1, 1.5, 2 ** 53],
};

describe('Webhook test, fields', () => {
  test.each(Object.entries(WRONG))('%s: names the field alone for each wrong value', async (field, wrong) => {
    const send = await endpoint();
    for (const value of [undefined, null, ...wrong])
      expect(failed(await send({ ...VALID, [field]: value })), String(value).slice(0, 40)).toEqual([field]);
  });

  test('says of a field what is valid, and each problem of it', async () => {
    const send = await endpoint();
    const https = 'the address must be a valid https URL';
    const length = 'the address may have at most 1024 characters';
    expect((await send({})).json().details).toEqual({
      url: [https],
      secret: ['the signing secret must have exactly 32 characters'],
      clientId: ['the client id must be a positive whole number'],
    });
    const url = `http://example.test/${'x'.repeat(1024)}`;
    expect((await send({ ...VALID, url })).json().details).toEqual({ url: [https, length] });
  });

  test('names all failed fields at once, and only those', async () => {
    const send = await endpoint();
    expect(failed(await send({ url: 'x', secret: 'x', clientId: 1 }))).toEqual(['url', 'secret']);
    expect(failed(await send({ url: VALID.url, secret: 'x', clientId: 0 }))).toEqual(['secret', 'clientId']);
    expect(failed(await send({ url: 1, secret: 1, clientId: 'x', more: 1 }))).toEqual(ALL);
  });

  test.each(['', '{', '{"url":', 'null', '[]', '"text"', '1', '{}', '\u0000'])(
    'names all fields where the body is %j',
    async (body) => {
      const send = await endpoint();
      expect(failed(await send(body))).toEqual(ALL);
    },
  );

  test.each(['', '/', 'nonsense'])('names all fields where the type of the body is %j', async (type) => {
    const send = await endpoint();
    const response = await send(VALID, '192.0.2.1', '/test-webhook-url/', type);
    expect(failed(response)).toEqual(ALL);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8'])(
    'reads the body as JSON where its type is %s',
    async (type) => {
      const send = await endpoint();
      const response = await send({ ...VALID, clientId: 0 }, '192.0.2.1', '/test-webhook-url/', type);
      expect(failed(response)).toEqual(['clientId']);
    },
  );

  test('url: may have 1024 characters', async () => {
    expect(URL_OF_1024).toHaveLength(1024);
    const send = await endpoint();
    expect((await send(inputFor(URL_OF_1024))).json().status).toBe('WebhookRequestError');
  });
});
