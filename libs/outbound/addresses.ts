/** Addresses that a customer's webhook may have (docs/decisions/0060): public unicast, and ranges that an operator allows. */

import { Resolver } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { parseRange } from '#service/addresses.ts';

/** IPv4 ranges that are not public unicast: the IANA special-purpose registry, multicast, platform services of clouds. */
const REFUSED_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; holds 100.100.100.200, metadata of a cloud
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // platform service of a cloud, on a public address
  '169.254.0.0/16', // link-local; holds 169.254.169.254, metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocol assignments; holds 192.0.0.192, metadata of a cloud
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT relays
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];

/** IPv6 is refused outside the global unicast range, so loopback, mapped, NAT64, local and multicast addresses need no entry below. */
const GLOBAL_IPV6 = ['2000::/3'];

/** Ranges of global unicast that are special, or contain an IPv4 address. */
const REFUSED_IPV6 = [
  '2001::/23', // IETF protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
];

const refused = blockList([...REFUSED_IPV4, ...REFUSED_IPV6]);
const globalIpv6 = blockList(GLOBAL_IPV6);
const FAMILIES: Readonly<Record<number, 'ipv4' | 'ipv6'>> = { 4: 'ipv4', 6: 'ipv6' };

export function isPublicAddress(address: string): boolean {
  const family = FAMILIES[isIP(address)];
  if (family === undefined || refused.check(address, family)) return false;
  return family === 'ipv4' || globalIpv6.check(address, family);
}

/** Ranges that an operator allows beside public addresses. */
export class AllowedRanges {
  readonly #ranges: readonly string[];
  readonly #list: BlockList;

  /** `ranges` are in CIDR notation. Throws `RangeError` for any other text. */
  constructor(ranges: readonly string[]) {
    this.#ranges = ranges;
    this.#list = blockList(ranges);
  }

  /** Whether an address is public or in a range. An IPv4-mapped IPv6 address is in a range of its IPv4 address. */
  allows(address: string): boolean {
    const family = FAMILIES[isIP(address)];
    return family !== undefined && (isPublicAddress(address) || this.#list.check(address, family));
  }

  toString(): string {
    return this.#ranges.join(',');
  }
}

/** Returns the host of a URL without the brackets of an IPv6 address. */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const parsed = parseRange(range);
    if (parsed === null) throw new RangeError(`${JSON.stringify(range)} is not a range of addresses`);
    list.addSubnet(parsed.address, parsed.prefix, parsed.family);
  }
  return list;
}

/** Resolves a name to its addresses, at least one; rejects with an error with a code, such as ENOTFOUND. */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Time to wait for the other address family once one has answered, milliseconds (RFC 8305, "Resolution Delay"). */
const RESOLUTION_DELAY_MS = 200;
/** Timeout of a query to a server before it is retried, milliseconds. */
const SERVER_TIMEOUT_MS = 2_000;
const MAX_ATTEMPTS = 4;
const LOCALHOST = /^(.+\.)?localhost$/i;

/**
 * Resolves a name to its addresses, IPv4 first. Not by `getaddrinfo`, which cannot be cancelled: silent servers would fill the
 * thread pool. `servers`: host:port. Rejects with errors of `node:dns`.
 */
export async function resolveName(
  name: string,
  signal: AbortSignal,
  servers?: readonly string[],
): Promise<readonly string[]> {
  // Not resolved by DNS (RFC 6761).
  if (LOCALHOST.test(name)) return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: SERVER_TIMEOUT_MS, tries: MAX_ATTEMPTS });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  let delay: NodeJS.Timeout | undefined;
  try {
    signal.throwIfAborted();
    const queries = [resolver.resolve4(name), resolver.resolve6(name)];
    const answered = (): void => {
      delay ??= setTimeout(cancel, RESOLUTION_DELAY_MS);
    };
    for (const query of queries) query.then(answered, () => {});
    const answers = await Promise.allSettled(queries);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    throw answers.find((answer) => answer.status === 'rejected')?.reason;
  } finally {
    clearTimeout(delay);
    signal.removeEventListener('abort', cancel);
  }
}
