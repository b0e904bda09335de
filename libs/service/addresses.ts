/** The addresses that the servers of a process listen on, and their form in URLs. */
import { BlockList, isIP, isIPv6 } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const ALL_ADDRESSES = new Set(['0.0.0.0', '::']);

/** Whether only this machine reaches an IP address, or `localhost`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4'));
}

/** The host of URLs by which local programs reach a server that listens on `host`. */
export function urlHost(host: string): string {
  if (ALL_ADDRESSES.has(host) || isLoopback(host)) return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}

type AddressRange = {
  readonly address: string;
  /** Bits that the range has in common. */
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
};

/** A range in CIDR notation, as `10.0.0.0/8` or `fd00:1::/64`; null for what is none. */
export function parseRange(text: string): AddressRange | null {
  const [, address = '', bits = ''] = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(text) ?? [];
  const version = isIP(address);
  const prefix = Number(bits);
  if (version === 0 || prefix > (version === 4 ? 32 : 128)) return null;
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}
