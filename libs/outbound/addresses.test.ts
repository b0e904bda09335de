import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { rounds } from '../../test/support/rounds.ts';
import { AllowedRanges, isPublicAddress, resolveName } from './addresses.ts';

// The special IPv4 addresses, and IPv6 addresses that contain one, are below.
test.each([
  ['of this machine, or of IPv4', ':: ::1 ::8.8.8.8 ::ffff:8.8.8.8'],
  ['special', '100::1 2001::1 2001:2::1 2001:20::1 2001:db8::1 3fff::1 4000::1 5f00::1 ff02::1'],
  [
    'local, or of metadata',
    'fc00::1 fd00:ec2::254 fd20:ce::254 fe80::1 fe80::1%eth0 fe80::a9fe:a9fe fec0::1',
  ],
  ['none', 'localhost 2130706433 0177.0.0.1 0x7f.0.0.1 127.1 127.0.0.1. [2606:4700::1] 8.8.8.8/32'],
])('not a public address: %s: %s', (_name, addresses) => {
  const found = ['', ' 8.8.8.8', ...addresses.split(' ')].filter((address) => isPublicAddress(address));
  expect(found).toEqual([]);
});

/** First address and prefix length of special IPv4 ranges. */
const SPECIAL: readonly (readonly [number, number])[] = [
  ...'0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12'.split(
    ' ',
  ),
  ...'192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24'.split(' '),
  ...'203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'.split(' '),
].map((range) => {
  const [a = 0, b = 0, c = 0, d = 0, length = 0] = range.split(/[./]/).map(Number);
  return [((a << 24) | (b << 16) | (c << 8) | d) >>> 0, length];
});

const dotted = (ipv4: number): string => [24, 16, 8, 0].map((shift) => (ipv4 >>> shift) & 255).join('.');
const groups = (ipv4: number): string => `${(ipv4 >>> 16).toString(16)}:${(ipv4 & 0xffff).toString(16)}`;

/** The IPv6 forms of an IPv4 address that may deliver a packet to it. */
const EMBEDDED: Readonly<Record<string, (ipv4: number) => string>> = {
  mapped: (ipv4) => `::ffff:${dotted(ipv4)}`,
  'mapped, in groups': (ipv4) => `::ffff:${groups(ipv4)}`,
  'mapped, written out': (ipv4) => `0000:0000:0000:0000:0000:FFFF:${groups(ipv4)}`,
  compatible: (ipv4) => `::${dotted(ipv4)}`,
  translated: (ipv4) => `::ffff:0:${groups(ipv4)}`,
  NAT64: (ipv4) => `64:ff9b::${dotted(ipv4)}`,
  'NAT64, in groups': (ipv4) => `64:ff9b:0:0:0:0:${groups(ipv4)}`,
  'NAT64 of a network': (ipv4) => `64:ff9b:1::${groups(ipv4)}`,
  '6to4': (ipv4) => `2002:${groups(ipv4)}::1`,
  'Teredo server': (ipv4) => `2001:0:${groups(ipv4)}:8000:63bf:80ff:fffe`,
  'Teredo client': (ipv4) => `2001:0:4136:e378:8000:63bf:${groups(~ipv4 >>> 0)}`,
  'link-local ISATAP': (ipv4) => `fe80::5efe:${dotted(ipv4)}`,
};

/** Whether an address is in a special range. */
const isSpecial = (ipv4: number): boolean =>
  SPECIAL.some(([first, length]) => ipv4 >= first && ipv4 < first + 2 ** (32 - length));

test.each([
  // Just before and behind each special range: the last one ends with the last address.
  ...SPECIAL.flatMap(([first, length]) => [first - 1, first + 2 ** (32 - length)])
    .filter((ipv4) => ipv4 >= 0 && ipv4 < 2 ** 32 && !isSpecial(ipv4))
    .map(dotted),
  ...'8.8.8.8 2001:200::1 2001:4860:4860::8888 2001:db7:ffff::1 2001:db9::1 2003::1 3fff:1000::1'.split(' '),
])('a public address: %s', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

const special = fc
  .tuple(fc.constantFrom(...SPECIAL), fc.nat(0xffffffff))
  .map(([[first, length], random]) => (first | (length === 32 ? 0 : random & (0xffffffff >>> length))) >>> 0);

describe('a special IPv4 address', () => {
  test('is rejected in IPv4', () => {
    fc.assert(
      fc.property(special, (ipv4) => !isPublicAddress(dotted(ipv4))),
      { numRuns: rounds(2_000) },
    );
  });

  test.each(Object.entries(EMBEDDED))('is rejected in IPv6: %s', (_name, embed) => {
    fc.assert(
      fc.property(special, (ipv4) => !isPublicAddress(embed(ipv4))),
      { numRuns: rounds(500) },
    );
  });
});

describe('an allowed range', () => {
  const allowed = new AllowedRanges(['10.1.0.0/16', '127.0.0.1/32', 'fd00:1::/64']);

  test('allows its addresses beside public ones', () => {
    for (const address of ['10.1.2.3', '127.0.0.1', '::ffff:10.1.2.3', 'fd00:1::5', '8.8.8.8']) {
      expect(allowed.allows(address)).toBe(true);
    }
    for (const address of '10.2.0.0 127.0.0.2 ::ffff:10.2.0.0 fd00:1:0:1::5 64:ff9b::a01:203 x'.split(' ')) {
      expect(allowed.allows(address)).toBe(false);
    }
    expect(new AllowedRanges([]).allows('10.1.2.3')).toBe(false);
  });

  test.each([
    '',
    '10.0.0.0/8 ',
    ...'10.0.0.0 10.0.0.0/33 10.0.0.0/ 10.0/8 fd00::/129 fd00::%1/64 localhost/8'.split(' '),
  ])('is not %j', (text) => {
    expect(() => new AllowedRanges([text])).toThrow(RangeError);
  });
});

const A = 1;
const AAAA = 28;
const NAME_ERROR = 3;
const NAME = 'a.example.test';

/** Returns a name server's answer to a query of a type: addresses in bytes; `silent` is no answer. */
type Zone = (type: number) => readonly (readonly number[])[] | 'no such name' | 'silent';

/** Starts a name server, and returns its address. */
async function nameServer(zone: Zone): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    // The question is a name as lengths with labels, ended by 0, its type and its class.
    const end = query.indexOf(0, 12) + 5;
    const answer = zone(query.readUInt16BE(end - 4));
    if (answer === 'silent') return;
    const records = answer === 'no such name' ? [] : answer;
    const head = Buffer.from(query.subarray(0, end));
    head.writeUInt16BE(0x8180 | (answer === 'no such name' ? NAME_ERROR : 0), 2);
    head.writeUInt16BE(records.length, 6);
    // No authority and no additional records.
    head.fill(0, 8, 12);
    const type = [...query.subarray(end - 4, end)];
    const rows = records.map((bytes) =>
      Buffer.from([0xc0, 12, ...type, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([head, ...rows]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

const { signal } = new AbortController();
const IPV6 = [0x20, 1, 0x48, 0x60, ...Array.from({ length: 11 }, () => 0), 1];

describe('the addresses of a name', () => {
  test('are those of both families, IPv4 first', async () => {
    const ipv4 = [8, 9].map((byte) => Array(4).fill(byte));
    const server = await nameServer((type) => (type === A ? ipv4 : [IPV6]));
    expect(await resolveName(NAME, signal, [server])).toEqual(['8.8.8.8', '9.9.9.9', '2001:4860::1']);
  });

  test('are those of one family if the other has none', async () => {
    const only = (wanted: number, bytes: number[]) => nameServer((type) => (type === wanted ? [bytes] : []));
    expect(await resolveName(NAME, signal, [await only(A, [8, 8, 8, 8])])).toEqual(['8.8.8.8']);
    expect(await resolveName(NAME, signal, [await only(AAAA, IPV6)])).toEqual(['2001:4860::1']);
  });

  test('are those of one family if the other gets no answer', async () => {
    const server = await nameServer((type) => (type === A ? [[8, 8, 8, 8]] : 'silent'));
    const started = performance.now();
    expect(await resolveName(NAME, signal, [server])).toEqual(['8.8.8.8']);
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  test('do not exist: rejects with a code', async () => {
    const unknown = await nameServer(() => 'no such name');
    await expect(resolveName(NAME, signal, [unknown])).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const empty = await nameServer(() => []);
    await expect(resolveName(NAME, signal, [empty])).rejects.toMatchObject({ code: 'ENODATA' });
  });

  test('are no longer awaited after an abort', async () => {
    const asked = Promise.withResolvers<void>();
    const server = await nameServer(() => {
      asked.resolve();
      return 'silent';
    });
    const stop = new AbortController();
    const resolved = resolveName(NAME, stop.signal, [server]);
    void asked.promise.then(() => stop.abort());
    await expect(resolved).rejects.toMatchObject({ code: 'ECANCELLED' });
    await expect(resolveName(NAME, stop.signal, [server])).rejects.toBe(stop.signal.reason);
  });

  test.each(['localhost', 'LocalHost', 'a.localhost'])(
    'of %s are loopback, without any server',
    async (name) => {
      const server = await nameServer(() => 'silent');
      expect(await resolveName(name, signal, [server])).toEqual(['127.0.0.1', '::1']);
    },
  );
});
