import { describe, expect, test } from 'vitest';
import { HttpsReceiver } from '../../test/support/https-receiver.ts';
import { AllowedRanges, type ResolveName } from './addresses.ts';
import { endpointOf } from './testing/endpoints.ts';

const LOOPBACK = new AllowedRanges(['127.0.0.1/32']);
const NONE = new AllowedRanges([]);
const NOT_PUBLIC = { kind: 'refused', reason: 'address_not_public' };

describe('a URL is rejected', () => {
  // Further addresses and their spellings: addresses.test.ts.
  test.each([
    ...'127.0.0.1 2130706433 127.0.0.1. 0x7f000001.. ①②⑦.0.0.1 169.254.169.254'.split(' '),
    ...'[::1] [::FFFF:A9FE:A9FE] localhost localhost. a.localhost'.split(' '),
  ])('https://%s/', async (host) => {
    expect(await endpointOf(`https://${host}/`, { allowed: NONE }).post('[]')).toEqual(NOT_PUBLIC);
    expect(await endpointOf(`https://${host}:8443/a?b`, { allowed: NONE }).post('[]')).toEqual(NOT_PUBLIC);
  });

  test.each([
    ['credentials', 'https://user@a.test/ https://u:p@a.test/ https://:p@a.test/ https://a.test@127.0.0.1/'],
    [
      'not_https',
      'http://a.test/ ftp://a.test/ file:///etc/passwd gopher://127.0.0.1/ data:text/plain,Accepted',
    ],
    [
      'not_a_url',
      'https://[fe80::1%25eth0]/ https://[::1]./ https://127.0.0.1%00.a.test/ https://1.2.3.4.5/',
    ],
    ['not_a_url', 'https:// '],
  ])('%s: %s', async (reason, urls) => {
    const never: ResolveName = () => Promise.reject(new Error('resolved'));
    for (const url of urls.split(' '))
      expect(await endpointOf(url, { allowed: NONE }, never).post('[]')).toEqual({ kind: 'refused', reason });
  });
});

describe('a name', () => {
  test.each([
    ['loopback of both families', ['127.0.0.1', '::1']],
    ['link-local with a zone', ['fe80::1%lo']],
    ['no address at all', ['localhost']],
    ['nothing', []],
  ])('is rejected if its addresses are %s', async (_name, addresses) => {
    const receiver = await HttpsReceiver.start();
    const url = `https://a.example.test:${receiver.port}/`;
    expect(
      await endpointOf(url, { ca: receiver.ca, allowed: NONE }, async () => addresses).post('[]'),
    ).toEqual(NOT_PUBLIC);
    expect(receiver.connections).toBe(0);
  });

  test('is called at its allowed addresses only', async () => {
    const receiver = await HttpsReceiver.start();
    const { port, ca } = receiver;
    const url = `https://a.example.test:${port}/`;
    const resolve: ResolveName = async () => ['127.0.0.2', '::1', '127.0.0.1'];
    const endpoint = endpointOf(url, { ca, allowed: LOOPBACK }, resolve);
    expect(await endpoint.post('[]')).toEqual({ kind: 'accepted' });
    expect(receiver.received[0]?.headers.host).toBe(`a.example.test:${port}`);
  });

  test('is called at its next address if one does not answer', async () => {
    const receiver = await HttpsReceiver.start();
    const url = `https://a.example.test:${receiver.port}/`;
    const endpoint = endpointOf(url, { ca: receiver.ca }, async () => ['127.0.0.2', '127.0.0.1']);
    expect(await endpoint.post('[]')).toEqual({ kind: 'accepted' });
  });

  test('loses its trailing dot', async () => {
    const receiver = await HttpsReceiver.start();
    const { port, ca } = receiver;
    const names: string[] = [];
    const endpoint = endpointOf(
      `https://a.example.test.:${port}/`,
      { ca, allowed: LOOPBACK },
      async (name) => {
        names.push(name);
        return ['127.0.0.1'];
      },
    );
    expect(await endpoint.post('[]')).toEqual({ kind: 'accepted' });
    expect(names).toEqual(['a.example.test']);
  });
});

describe('DNS rebinding', () => {
  test('does not reach an address that was not checked', async () => {
    const receiver = await HttpsReceiver.start();
    const url = `https://a.example.test:${receiver.port}/`;
    const given: string[] = [];
    // First a documentation address, which is allowed for the test like a public one; then always loopback.
    const resolve: ResolveName = async () => {
      given.push(given.length === 0 ? '192.0.2.1' : '127.0.0.1');
      return given.slice(-1);
    };
    const allowed = new AllowedRanges(['192.0.2.1/32']);
    const endpoint = endpointOf(url, { ca: receiver.ca, allowed, timeoutMs: 500 }, resolve);
    expect(['timeout', 'failed']).toContain((await endpoint.post('[]')).kind);
    expect(given).toEqual(['192.0.2.1']);
    for (let n = 0; n < 3; n++) expect((await endpoint.post('[]')).kind).not.toBe('accepted');
    expect(receiver.connections).toBe(0);
  });

  test('resolves once for each connection, and checks each answer', async () => {
    const receiver = await HttpsReceiver.start((response) =>
      response.setHeader('connection', 'close').end('Accepted'),
    );
    const url = `https://a.example.test:${receiver.port}/`;
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']];
    const resolve: ResolveName = async () => answers.shift() ?? [];
    const endpoint = endpointOf(url, { ca: receiver.ca, allowed: LOOPBACK }, resolve);
    expect(await endpoint.post('[]')).toEqual({ kind: 'accepted' });
    expect(await endpoint.post('[]')).toEqual(NOT_PUBLIC);
    expect(await endpoint.post('[]')).toEqual({ kind: 'accepted' });
    expect(answers).toEqual([]);
    expect(receiver.connections).toBe(2);
  });

  test('does not follow a redirect to a refused address', async () => {
    const inside = await HttpsReceiver.start();
    const outside = await HttpsReceiver.start((response) => {
      response.writeHead(302, { location: inside.url }).end('Accepted');
    });
    const endpoint = endpointOf(outside.url, { ca: outside.ca, allowed: LOOPBACK });
    expect(await endpoint.post('[]')).toEqual({ kind: 'status', status: 302, retryAfterMs: null });
    expect(inside.connections).toBe(0);
  });
});
