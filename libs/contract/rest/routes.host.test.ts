import { describe, expect, test } from 'vitest';
import { answerError } from './records/envelope.ts';
import { isHost } from './routes.ts';
import { testServer } from './testing/world.ts';

test.each([
  'localhost',
  'localhost:80',
  'api.example',
  'API.example.:8081',
  'touchline_api:8081',
  'xn--bcher-kva.example',
  '127.0.0.1',
  '127.0.0.1:65535',
  '[::1]',
  '[::1]:8081',
  '[2001:db8::1]:80',
  '[::ffff:127.0.0.1]',
  'a',
])('%s is a host', (text) => {
  expect(isHost(text)).toBe(true);
  expect(new URL(`http://${text}/v2`).pathname).toBe('/v2');
});

test.each([
  '',
  ' ',
  ':',
  ':80',
  'a:',
  'a:b',
  'a:65536',
  'a:123456',
  'a:80:80',
  '-a',
  '.',
  'a b',
  'a\tb',
  'a,b',
  'evil/',
  'evil/..?x',
  'evil?x',
  'evil#x',
  'evil\\x',
  'user@evil',
  'a:80@evil',
  'http://evil',
  '//evil',
  '"evil"',
  '<evil>',
  "evil'",
  'evil%2f',
  'evil%00',
  'bücher.example',
  '[::1',
  '::1',
  '[]',
  '[1]',
  '[::1%25lo]',
  '[::1]x',
  '[::1]:',
  'x[::1]',
  `${'a'.repeat(256)}`,
  'evil\r\nx',
  'evil\n',
])('%j is not a host', (text) => {
  expect(isHost(text)).toBe(false);
});

describe('URLs of pages', () => {
  const server = testServer();

  test.each(['evil/..?x', 'evil?', 'evil#', 'user@evil', 'a b', ':80', 'a:x', 'a:65536', '"', '[::1'])(
    'never have an invalid host: Host %j is 400, with any token',
    async (host) => {
      for (const url of ['/v2/sports?limit=5', '/v2/statuses', '/v2/oauth', '/v2/nothing']) {
        const response = await server.app.inject({ url, headers: { host } });
        expect(response.statusCode).toBe(400);
        expect(answerError.parse(response.json()).api.error.internal_code).toBe(13);
      }
    },
  );

  test.each(['api.example', 'api.example:8081', '127.0.0.1:8081', '[::1]:8081', 'touchline_api'])(
    'have the requested host, %s, not one that a proxy names',
    async (host) => {
      const headers = {
        host,
        'x-forwarded-host': 'evil',
        'x-forwarded-proto': 'gopher',
        forwarded: 'host=evil',
      };
      const response = await server.app.inject({ url: '/v2/sports?limit=5', headers });
      expect(response.json().api.method.next_page).toBe(`http://${host}/v2/sports?limit=5&page=2`);
    },
  );
});
