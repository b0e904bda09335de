/** Connects to checked addresses only (docs/decisions/0060). */
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { defineError } from '#errors/touchline-error.ts';
import { type AllowedRanges, type ResolveName, withoutBrackets } from './addresses.ts';
import { openTunnel } from './proxy.ts';

type ConnectorOptions = {
  readonly allowed: AllowedRanges;
  readonly resolve: ResolveName;
  /** Timeout of resolving, connecting and the TLS handshake together, milliseconds. */
  readonly timeoutMs: number;
  /** Context of `trusting`; undefined: trusts the default authorities. */
  readonly secureContext: SecureContext | undefined;
  /** Returns the proxy for a host and port; null: none. */
  readonly proxy?: (host: string, port: string) => URL | null;
  readonly closing: AbortSignal;
};

const HTTPS_PORT = '443';
/** Delay before the next one of several addresses is tried too, milliseconds. */
const ADDRESS_ATTEMPT_MS = 1_000;

export class AddressNotPublicError extends defineError('AddressNotPublicError', () => [
  'ADDRESS_NOT_PUBLIC',
  'no address of the name may be called',
]) {}

/** Creates the `connect` function of a pool to one host. It resumes the TLS session of its last connection. */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const { timeoutMs, secureContext, closing, proxy } = options;
  let session: Buffer | undefined;
  return (target, callback) => {
    // Each connection has its own signal, as sockets leave a listener on it: one of `AbortSignal.any` would stay in memory with them.
    const connecting = new AbortController();
    const { signal } = connecting;
    const abort = (): void => connecting.abort(closing.reason);
    closing.addEventListener('abort', abort);
    if (closing.aborted) abort();
    const connect = buildConnector({
      lookup: permittedLookup(options, signal),
      timeout: timeoutMs,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
      rejectUnauthorized: true,
      signal,
      ...(secureContext === undefined ? {} : { secureContext }),
      ...(session === undefined ? {} : { session }),
    });
    const via = proxy?.(target.hostname, target.port || HTTPS_PORT) ?? null;
    const opened: Promise<Partial<buildConnector.Options>> =
      via === null ? Promise.resolve({}) : tunnelled(options, via, target, signal);
    const connected: buildConnector.Callback = (...result) => {
      closing.removeEventListener('abort', abort);
      const [error, socket] = result;
      if (error === null) {
        socket.on('session', (latest: Buffer) => {
          session = latest;
        });
      } else connecting.abort(error);
      callback(...result);
    };
    opened.then(
      (through) => connect({ ...target, ...through }, connected),
      (error: Error) => connected(error, null),
    );
  };
}

/** Opens a tunnel through a proxy to a checked address of a host. The proxy resolves no name, so that it reaches what was checked. */
async function tunnelled(
  options: ConnectorOptions,
  proxy: URL,
  { hostname, port }: buildConnector.Options,
  signal: AbortSignal,
): Promise<Pick<buildConnector.Options, 'httpSocket'>> {
  const [address] = await permittedAddresses(options, withoutBrackets(hostname), signal);
  return { httpSocket: await openTunnel(proxy, { address, port: port || HTTPS_PORT }, signal) };
}

/** Creates a lookup that returns only allowed addresses of a name: a connection uses these without resolving again. */
function permittedLookup(options: ConnectorOptions, signal: AbortSignal): LookupFunction {
  return (name, _options, callback) => {
    permittedAddresses(options, name, signal).then(
      (permitted) =>
        callback(
          null,
          permitted.map((address) => ({ address, family: isIP(address) })),
        ),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/** Returns the allowed addresses of a name, or the address in its place. Rejects with `AddressNotPublicError`, or as `resolve`. */
async function permittedAddresses(
  { resolve, allowed }: ConnectorOptions,
  name: string,
  signal: AbortSignal,
): Promise<readonly [string, ...string[]]> {
  const addresses = isIP(name) === 0 ? await resolve(name, signal) : [name];
  const [first, ...others] = addresses.filter((address) => allowed.allows(address));
  if (first === undefined) throw new AddressNotPublicError();
  return [first, ...others];
}

/** Contexts by certificates. Each contains all default authorities, and a process may have thousands of endpoints. */
const contexts = new Map<string, SecureContext>();

/** Returns a context that trusts these certificates (PEM) beside the default authorities. */
export function trusting(ca: string): SecureContext {
  const cached = contexts.get(ca);
  if (cached !== undefined) return cached;
  const context = createSecureContext({ ca: [...getCACertificates('default'), ca] });
  contexts.set(ca, context);
  return context;
}
