import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AllowedRanges } from '#outbound/addresses.ts';
import { createLogger } from '#service/logger.ts';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER, verify } from '#signing/signing.ts';
import { answers, type HostileAnswer, HttpsReceiver } from '../../../test/support/https-receiver.ts';
import { untilTrue } from '../../../test/support/poll.ts';
import { createApp } from './test-endpoint.ts';
import { endpoint, inputFor, SECRET, URL_OF_1024 } from './testing/test-endpoint.ts';

describe('Webhook test, the request', () => {
  test('is one signed POST of [] with the headers of real traffic', async () => {
    const receiver = await HttpsReceiver.start();
    const send = await endpoint();
    await send(inputFor(receiver.url));
    expect(receiver.received).toHaveLength(1);
    const [{ method, path, headers, body } = expect.fail('nothing received')] = receiver.received;
    expect([method, path, body.toString()]).toEqual(['POST', '/webhook', '[]']);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'touchline' });
    const [timestamp, signature] = [TIMESTAMP_HEADER, SIGNATURE_HEADER].map((name) => String(headers[name]));
    expect(verify(body, { timestamp, signature }, [SECRET], Date.now())).toBe('ok');
    expect(verify(body, { timestamp, signature }, [SECRET], Date.now() + 301_000)).toBe('timestamp_expired');
  });

  test('leaves no connection behind', async () => {
    const receiver = await HttpsReceiver.start();
    const send = await endpoint();
    await send(inputFor(receiver.url));
    // Earlier than the timeout of an idle connection.
    await untilTrue('the connection is closed', async () => (await receiver.open()) === 0, 10_000);
  });
});

const TIMED_OUT = 'request timed out (no answer within 10 seconds)';
const REQUEST_FAILED = 'request failed (network or connection error)';
const NON_200 = 'non-200 status';
const NOT_READ = 'response body could not be read';
const DIFFERENT = 'response text different from `Accepted`';

describe('Webhook test, responses', () => {
  test('200 Ok where the webhook answers Accepted, with and without the slash', async () => {
    const { url } = await HttpsReceiver.start();
    const send = await endpoint();
    for (const path of ['/test-webhook-url/', '/test-webhook-url']) {
      const response = await send(inputFor(url), '192.0.2.1', path);
      expect(response.statusCode).toBe(200);
      expect(response.headers['content-type']).toMatch(/^application\/json/);
      expect(response.json()).toEqual({ status: 'Ok', message: 'the webhook answered Accepted' });
    }
  });

  // libs/outbound has every other answer (endpoint.test.ts) and every refused address (ssrf.test.ts).
  test.each<[string, string, HostileAnswer]>([
    [REQUEST_FAILED, 'the connection is reset', answers.reset],
    [NON_200, 'it answers 500', answers.error],
    [NOT_READ, 'the text is cut', answers.cut],
    [DIFFERENT, 'it answers another text', answers.otherText],
  ])('400 WebhookRequestError, %s, where %s', async (message, _name, answer) => {
    const receiver = await HttpsReceiver.start(answer);
    const response = await (await endpoint())(inputFor(receiver.url));
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({ status: 'WebhookRequestError', message });
    expect(receiver.received).toHaveLength(1);
  });

  test('waits ten seconds for the whole answer', async () => {
    const { ca, url } = await HttpsReceiver.start(answers.drip);
    const allowed = new AllowedRanges(['127.0.0.0/8']);
    const log = createLogger({ name: 'tester', level: 'silent' });
    const app = await createApp({ allowed, ca, now: Date.now, attemptsPerMinute: 10, proxies: 0, log });
    onTestFinished(() => app.close());
    const started = performance.now();
    const response = await app.inject({ method: 'POST', url: '/test-webhook-url/', payload: inputFor(url) });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({ status: 'WebhookRequestError', message: TIMED_OUT });
    expect(performance.now() - started).toBeGreaterThan(9_950);
    expect(performance.now() - started).toBeLessThan(13_000);
  });

  test('reveals nothing of a refused address', async () => {
    const receiver = await HttpsReceiver.start();
    const send = await endpoint({ allowed: new AllowedRanges([]) });
    const refused = await send(inputFor(receiver.url));
    const unreachable = await send(inputFor('https://localhost:1/'));
    expect([refused.statusCode, refused.body]).toEqual([400, unreachable.body]);
    expect(refused.json()).toEqual({ status: 'WebhookRequestError', message: REQUEST_FAILED });
    expect(receiver.connections).toBe(0);
  });
});

describe('Webhook test, limits', () => {
  test('answers 413 to a body over the limit', async () => {
    const send = await endpoint();
    const response = await send({ ...inputFor('https://localhost:1/'), more: 'x'.repeat(1024 * 1024) });
    expect(response.statusCode).toBe(413);
    const message = 'the body is larger than 1048576 bytes';
    expect(response.json()).toEqual({ status: 'RequestTooLarge', message });
  });

  test('answers 429 to a client address with too many requests, and others go on', async () => {
    const send = await endpoint({ attemptsPerMinute: 2 });
    for (const path of ['/test-webhook-url/', '/test-webhook-url'])
      expect((await send({}, '192.0.2.1', path)).statusCode).toBe(400);
    for (const path of ['/test-webhook-url/', '/test-webhook-url']) {
      const response = await send({}, '192.0.2.1', path);
      expect(response.statusCode).toBe(429);
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      const message = 'too many tests from this address, try again later';
      expect(response.json()).toEqual({ status: 'RateLimitExceeded', message });
    }
    expect((await send({}, '192.0.2.2')).statusCode).toBe(400);
  });

  test('counts a network of IPv6 as one client', async () => {
    const send = await endpoint({ attemptsPerMinute: 1 });
    expect((await send({}, '2001:db8::1')).statusCode).toBe(400);
    expect((await send({}, '2001:db8::ffff:1')).statusCode).toBe(429);
    expect((await send({}, '2001:db8:0:1::1')).statusCode).toBe(400);
  });

  test('answers 503 where too many tests are running', async () => {
    const receiver = await HttpsReceiver.start(answers.silent);
    const send = await endpoint({ maxConcurrent: 1, timeoutMs: 1_000 });
    const first = send(inputFor(receiver.url));
    await untilTrue('the first is sent', () => receiver.received.length === 1);
    const second = await send(inputFor(receiver.url));
    expect(second.statusCode).toBe(503);
    expect(second.json()).toEqual({ status: 'Busy', message: 'too many tests are running, try again later' });
    expect((await first).json().message).toBe(TIMED_OUT);
    receiver.answerWith(answers.accepted);
    expect((await send(inputFor(receiver.url))).statusCode).toBe(200);
  });
});

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

  const bodies = ['', '{', '{"url":', 'null', '[]', '"text"', '1', '{}', '\u0000'];
  test.each(bodies)('names all fields where the body is %j', async (body) => {
    const send = await endpoint();
    expect(failed(await send(body))).toEqual(ALL);
  });

  test.each(['', '/', 'nonsense'])('names all fields where the type of the body is %j', async (type) => {
    const send = await endpoint();
    const response = await send(VALID, '192.0.2.1', '/test-webhook-url/', type);
    expect(failed(response)).toEqual(ALL);
  });

  const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8'];
  test.each(types)('reads the body as JSON where its type is %s', async (type) => {
    const send = await endpoint();
    const response = await send({ ...VALID, clientId: 0 }, '192.0.2.1', '/test-webhook-url/', type);
    expect(failed(response)).toEqual(['clientId']);
  });

  test('url: may have 1024 characters', async () => {
    expect(URL_OF_1024).toHaveLength(1024);
    const send = await endpoint();
    expect((await send(inputFor(URL_OF_1024))).json().status).toBe('WebhookRequestError');
  });
});
