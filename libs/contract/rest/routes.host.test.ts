import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerError } from './records/envelope.ts';
import { isHost } from './routes.ts';
import { testServer } from './testing/world.ts';

const HOSTS = 'localhost:80 API.example.:8081 touchline_api xn--bcher-kva.example 127.0.0.1:65535 a';
const HOSTS_V6 = '[::1] [::1]:8081 [2001:db8::1]:80 [::ffff:127.0.0.1]';

test.each(`${HOSTS} ${HOSTS_V6}`.split(' '))('%s is a host', (text) => expect(isHost(text)).toBe(true));

test.each(['', ...':80 a: a:65536 a:80:80 -a . bücher.example evil%2f x[::1] [::1%25lo]'.split(' ')])(
  '%j is not a host',
  (text) => expect(isHost(text)).toBe(false),
);

test('what follows a host in a URL is its path, whatever the host is', () => {
  const part = fc.constantFrom(...'a evil 127.0.0.1 ::1 : 80 . - @ / ? # [ ]'.split(' '));
  const odd = fc.constantFrom(' ', '\t', '\r\n', 'x'.repeat(256), ...'\\ , " < \' %2f %00 ü'.split(' '));
  const texts = fc.array(fc.oneof({ weight: 5, arbitrary: part }, odd), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(texts, (parts) => {
      const url = `http://${parts.join('')}/v2`;
      if (!isHost(parts.join('')) || !URL.canParse(url)) return;
      const { username, pathname, search, hash } = new URL(url);
      expect([username, pathname, search, hash]).toEqual(['', '/v2', '', '']);
    }),
    { numRuns: 2_000 },
  );
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
      const proxy = { 'x-forwarded-host': 'evil', 'x-forwarded-proto': 'gopher', forwarded: 'host=evil' };
      const headers = { host, ...proxy };
      const response = await server.app.inject({ url: '/v2/sports?limit=5', headers });
      expect(response.json().api.method.next_page).toBe(`http://${host}/v2/sports?limit=5&page=2`);
    },
  );
});
