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

describe('Webhook test, fields', () => {
  test.each<[string, unknown]>([
    ['is missing', undefined],
    ['is null', null],
    ['is a number', 1],
    ['is an array', ['https://example.test/']],
    ['is empty', ''],
    ['is http', 'http://example.test/'],
    ['is ftp', 'ftp://example.test/'],
    ['has no scheme', 'example.test/webhook'],
    ['has no host', 'https://'],
    ['is no URL', 'https://exa mple.test/'],
    ['has a port that is none', 'https://example.test:99999/'],
    ['is longer than 1024 characters', `${URL_OF_1024}x`],
    ['has nearly a megabyte', `${URL_OF_1024}${'x'.repeat(1_000_000)}`],
  ])('url: fails where it %s', async (_name, url) => {
    const send = await endpoint();
    expect(failed(await send({ ...VALID, url }))).toEqual(['url']);
  });

  test.each<[string, unknown]>([
    ['is missing', undefined],
    ['is null', null],
    ['is a number', 32],
    ['is empty', ''],
    ['has 31 characters', SECRET.slice(1)],
    ['has 33 characters', `${SECRET}0`],
    ['has nearly a megabyte', SECRET.repeat(31_000)],
  ])('secret: fails where it %s', async (_name, secret) => {
    const send = await endpoint();
    expect(failed(await send({ ...VALID, secret }))).toEqual(['secret']);
  });

  test.each<[string, unknown]>([
    ['is missing', undefined],
    ['is null', null],
    ['is a text', '1'],
    ['is 0', 0],
    ['is negative', -1],
    ['is no whole number', 1.5],
    ['is larger than any that is exact', 2 ** 53],
  ])('clientId: fails where it %s', async (_name, clientId) => {
    const send = await endpoint();
    expect(failed(await send({ ...VALID, clientId }))).toEqual(['clientId']);
  });

  test('names all failed fields at once, and only those', async () => {
    const send = await endpoint();
    expect(failed(await send({ url: 'x', secret: 'x', clientId: 1 }))).toEqual(['url', 'secret']);
    expect(failed(await send({ url: VALID.url, secret: 'x', clientId: 0 }))).toEqual(['secret', 'clientId']);
    expect(failed(await send({ url: 1, secret: 1, clientId: 'x', more: 1 }))).toEqual([
      'url',
      'secret',
      'clientId',
    ]);
  });

  test('names every problem of one field', async () => {
    const send = await endpoint();
    const url = `http://example.test/${'x'.repeat(1024)}`;
    const { details } = (await send({ ...VALID, url })).json();
    expect(details).toEqual({
      url: ['the address must be a valid https URL', 'the address may have at most 1024 characters'],
    });
  });

  test.each(['', '{', '{"url":', 'null', '[]', '"text"', '1', '{}', '\u0000'])(
    'names all fields where the body is %j',
    async (body) => {
      const send = await endpoint();
      expect(failed(await send(body))).toEqual(['url', 'secret', 'clientId']);
    },
  );

  test.each(['', '/', 'nonsense'])('names all fields where the type of the body is %j', async (type) => {
    const send = await endpoint();
    const response = await send(VALID, '192.0.2.1', '/test-webhook-url/', type);
    expect(failed(response)).toEqual(['url', 'secret', 'clientId']);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8'])(
    'reads the body as JSON where its type is %s',
    async (type) => {
      const send = await endpoint();
      const response = await send({ ...VALID, clientId: 0 }, '192.0.2.1', '/test-webhook-url/', type);
      expect(failed(response)).toEqual(['clientId']);
    },
  );

  test('describes the valid values of a field', async () => {
    const response = await (await endpoint())({});
    expect(response.json().details).toEqual({
      url: ['the address must be a valid https URL'],
      secret: ['the signing secret must have exactly 32 characters'],
      clientId: ['the client id must be a positive whole number'],
    });
  });

  test('url: may have 1024 characters', async () => {
    expect(URL_OF_1024).toHaveLength(1024);
    const send = await endpoint();
    expect((await send(inputFor(URL_OF_1024))).json().status).toBe('WebhookRequestError');
  });
});
