import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { digestOf, networkOf } from './subject.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:C000:207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1::', '2001:db8:1:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['192.0.2.7:4711', null],
  ['unknown', null],
  ['', null],
  ['2001:db8::1, 192.0.2.7', null],
])('counts %j as %j', (address, network) => expect(networkOf(address)).toBe(network));

test('digests with a key, differently for addresses and client ids', () => {
  const [one, two] = [createSecretKey(randomBytes(32)), createSecretKey(randomBytes(32))];
  const digest = digestOf(one, 'address', '192.0.2.7');
  expect(digest).toMatch(/^[\w-]{22}$/);
  expect(digestOf(one, 'address', '192.0.2.7')).toBe(digest);
  expect(digestOf(two, 'address', '192.0.2.7')).not.toBe(digest);
  expect(digestOf(one, 'client', '192.0.2.7')).not.toBe(digest);
});
