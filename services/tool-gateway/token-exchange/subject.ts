/** Subjects that attempts are counted for, as digests that may be published. */
import { createHmac, type KeyObject } from 'node:crypto';
import { isIP, SocketAddress } from 'node:net';
import type { AttemptScope } from '#records/types.ts';

const DIGEST_BYTES = 16;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;
const GROUPS = 8;
/** Groups of an IPv6 address that identify one customer's network: /64. */
const NETWORK_GROUPS = 4;

/**
 * Returns the network that an address is counted as: an IPv4 address itself; of an IPv6 address its /64, which one
 * customer usually owns. Null for a text that is no address.
 */
export function networkOf(address: string): string | null {
  const family = isIP(address);
  if (family === 0) return null;
  if (family === 4) return address;
  const [unzoned = ''] = address.split('%', 1);
  // Normalises the address to its short form.
  const { address: short } = new SocketAddress({ address: unzoned, family: 'ipv6' });
  const mapped = MAPPED.exec(short)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = short.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(GROUPS - before.length - after.length).fill('0');
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/** Returns a keyed digest: a reader of the topic learns no address or client id, and cannot test guesses. */
export function digestOf(key: KeyObject, scope: AttemptScope, text: string): string {
  return createHmac('sha256', key)
    .update(`${scope} ${text}`)
    .digest()
    .subarray(0, DIGEST_BYTES)
    .toString('base64url');
}
