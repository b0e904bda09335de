/** The egress proxy of a network: which addresses are reached through it, and tunnels to them (RFC 9110, 9.3.6). */
import { isIP, type Socket } from 'node:net';
import { Client } from 'undici';
import { z } from 'zod';
import { defineError } from '#errors/touchline-error.ts';
import { httpUrl, secret } from '#service/setting-types.ts';
import { withoutBrackets } from './addresses.ts';

/** Settings of processes that call addresses of others. Their values are those that curl and Node read. */
export const proxySettings = {
  HTTPS_PROXY: secret(httpUrl().optional()).describe(
    'Proxy through which webhooks are sent, such as http://proxy.example:3128; a user and a password in it are sent to the proxy. Touchline still resolves and checks each name, and asks the proxy for a checked address.',
  ),
  NO_PROXY: z
    .string()
    .default('')
    .describe(
      'Hosts that are reached without HTTPS_PROXY, separated by commas: a name with its subdomains, an address, or * for all; with a port for that port only.',
    ),
};

/** The settings of a proxy. Never log `HTTPS_PROXY`. */
export type ProxyConfig = z.output<z.ZodObject<typeof proxySettings>>;

/** Thrown when the proxy opens no tunnel. */
class ProxyRefusedError extends defineError('ProxyRefusedError') {
  constructor(status: number) {
    super('PROXY_REFUSED', `the proxy of HTTPS_PROXY answered ${status}`);
  }
}

/** Returns the proxy for a host, as written in a URL; null: it is reached directly. */
export function proxyFor({ HTTPS_PROXY, NO_PROXY }: ProxyConfig, host: string, port: string): URL | null {
  if (HTTPS_PROXY === undefined) return null;
  const name = withoutBrackets(host.toLowerCase());
  const isDirect = NO_PROXY.split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => covers(entry.toLowerCase(), name, port));
  return isDirect ? null : new URL(HTTPS_PROXY);
}

/** `entry`: `*`, a name or `.name`, an address, or either of them with a port; an IPv6 address with one is in brackets. */
function covers(entry: string, name: string, port: string): boolean {
  if (entry === '*') return true;
  const [, given = entry, only = port] = (isIP(entry) === 0 && /^(.+):(\d+)$/.exec(entry)) || [];
  const host = withoutBrackets(given).replace(/^\*?\./, '');
  return host !== '' && only === port && (name === host || name.endsWith(`.${host}`));
}

/** Opens a tunnel through a proxy to an address. Rejects with `ProxyRefusedError`, or as undici. The caller ends the socket. */
export async function openTunnel(
  proxy: URL,
  { address, port }: { readonly address: string; readonly port: string },
  signal: AbortSignal,
): Promise<Socket> {
  const target = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  const client = new Client(proxy.origin);
  try {
    const { statusCode, socket } = await client.connect({
      path: target,
      headers: { host: target, ...authorization(proxy) },
      signal,
    });
    if (statusCode === 200) return socket as unknown as Socket;
    socket.on('error', () => {}).destroy();
    throw new ProxyRefusedError(statusCode);
  } finally {
    // The socket has left the client.
    void client.close();
  }
}

function authorization({ username, password }: URL): { 'proxy-authorization'?: string } {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
