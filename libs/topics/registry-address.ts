import { Agent } from 'node:https';
import type { Secret } from '#security/secret.ts';
import { readTls, type TlsFiles } from '#security/tls.ts';

/** Credentials of a registry (HTTP basic authentication). */
export type RegistryUser = { readonly username: string; readonly password: Secret };

/** A registry with TLS files or credentials beside its address. */
type SecuredRegistry = {
  readonly url: string;
  /** Null: Node's default certificates. */
  readonly tls: TlsFiles | null;
  readonly user: RegistryUser | null;
};

/** A registry: its address, which may contain user and password. Plain data, so that threads can receive it. */
export type RegistryUrl = string | SecuredRegistry;

/** The address of a registry, safe to show, with the secrets of its connections apart. */
export type RegistryAddress = {
  /** Without user, password and query. */
  readonly url: string;
  readonly user: RegistryUser | null;
  readonly tls: TlsFiles | null;
};

/** Separates user and password from an address, so that no request URL, error or log line contains them. */
export function parseRegistryAddress(registry: RegistryUrl): RegistryAddress {
  const { url, tls, user } =
    typeof registry === 'string' ? { url: registry, tls: null, user: null } : registry;
  const { origin, pathname, username, password } = new URL(url);
  const ofUrl =
    username === '' && password === ''
      ? null
      : { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  return { url: `${origin}${pathname}`.replace(/\/+$/, ''), user: user ?? ofUrl, tls };
}

/** Returns an agent that reads the TLS files for each connection, so that they may rotate; undefined without TLS files. */
export function registryAgent({ url, tls }: RegistryAddress): Agent | undefined {
  if (tls === null) return undefined;
  const { hostname } = new URL(url);
  const agent = new Agent({ keepAlive: true });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, onConnect) =>
    connect({ ...options, ...readTls(tls, hostname) }, onConnect);
  return agent;
}
