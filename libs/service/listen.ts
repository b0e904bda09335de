/** Where the servers of a process listen, and how such an address is written in a URL. */
import { BlockList, isIP, isIPv6 } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const ALL_ADDRESSES = new Set(['0.0.0.0', '::']);

/** Whether an IP address, or `localhost`, is reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4'));
}

/** The host of URLs by which programs on this machine reach a server that listens on `host`. */
export function urlHost(host: string): string {
  if (ALL_ADDRESSES.has(host) || isLoopback(host)) return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}
