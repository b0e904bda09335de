/** Addresses that servers listen on, their form in URLs, and address ranges. */
import { BlockList, isIP, isIPv6 } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const ALL_ADDRESSES = new Set(['0.0.0.0', '::']);

/** Whether only this machine can reach an IP address or `localhost`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4'));
}

/** Returns the host in URLs with which local programs reach a server that listens on `host`. */
export function urlHost(host: string): string {
  if (ALL_ADDRESSES.has(host) || isLoopback(host)) return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}

/** Parses a range in CIDR notation, such as `10.0.0.0/8` or `fd00:1::/64`, with its number of common bits; null for any other text. */
export function parseRange(text: string) {
  const [, address = '', bits = ''] = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(text) ?? [];
  const version = isIP(address);
  const prefix = Number(bits);
  if (version === 0 || prefix > (version === 4 ? 32 : 128)) return null;
  return { address, prefix, family: version === 4 ? ('ipv4' as const) : ('ipv6' as const) };
}
