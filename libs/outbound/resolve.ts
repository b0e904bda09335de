/** Resolves names to addresses by DNS. */
import { Resolver } from 'node:dns/promises';

/** Resolves a name to its addresses, at least one; rejects with an error with a code, such as ENOTFOUND. */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Time to wait for the other address family once one has answered, milliseconds (RFC 8305, "Resolution Delay"). */
const RESOLUTION_DELAY_MS = 200;
/** Timeout of a query to a server before it is retried, milliseconds. */
const SERVER_TIMEOUT_MS = 2_000;
const MAX_ATTEMPTS = 4;
const LOCALHOST = /^(.+\.)?localhost$/i;

/**
 * Resolves a name to its IPv4 and IPv6 addresses, in this order. Does not use `getaddrinfo`, which cannot be cancelled: a
 * few names with silent servers would occupy the thread pool. `servers`: host:port of name servers in place of the
 * system's. Rejects with an error of `node:dns`, also when `signal` is aborted.
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
