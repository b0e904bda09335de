import { expect, test } from 'vitest';
import { isLoopback, urlHost } from './addresses.ts';

test.each([
  ['127.0.0.1', true, 'localhost'],
  ['127.8.9.1', true, 'localhost'],
  ['::1', true, 'localhost'],
  ['::ffff:127.0.0.1', true, 'localhost'],
  ['localhost', true, 'localhost'],
  ['0.0.0.0', false, 'localhost'],
  ['::', false, 'localhost'],
  ['128.0.0.1', false, '128.0.0.1'],
  ['10.1.2.3', false, '10.1.2.3'],
  ['fe80::1', false, '[fe80::1]'],
  ['localhost.example', false, 'localhost.example'],
])('of %s returns loopback %s and host %s', (host, loopback, reached) => {
  expect([isLoopback(host), urlHost(host)]).toEqual([loopback, reached]);
});
