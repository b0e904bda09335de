import { isIP } from 'node:net';

/** A range of addresses. */
export type AddressRange = {
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
