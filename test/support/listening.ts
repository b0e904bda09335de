import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { systemCode } from '#service/http-get.ts';

const LISTENS = '0A';

/**
 * Returns the TCP addresses that a process listens on, without ports: IPv4 as `127.0.0.1`, IPv6 as the system
 * writes it.
 */
export function listeningAddresses(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const own = new Set(
    readdirSync(folder).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(target(`${folder}/${fd}`))?.[1] ?? []),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode = '']) => state === LISTENS && own.has(inode))
      .map(([, local = '']) => addressOf(local.slice(0, local.indexOf(':')))),
  );
}

/** Returns the target of a descriptor; empty when it was closed since the folder was read. */
function target(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Returns an IPv4 address from its four bytes in reverse order; other addresses unchanged. */
function addressOf(hex: string): string {
  return hex.length === 8 ? [...Buffer.from(hex, 'hex').reverse()].join('.') : hex;
}
