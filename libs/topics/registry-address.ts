import { Agent } from 'node:https';
import type { Secret } from '#security/secret.ts';
import { readTls, type TlsFiles } from '#security/tls.ts';

/** Who asks a registry (HTTP basic authentication). */
export type RegistryUser = { readonly username: string; readonly password: Secret };

/** A registry whose connections are secured beyond what its address says. */
type SecuredRegistry = {
  readonly url: string;
  /** Null: as Node trusts by itself. */
  readonly tls: TlsFiles | null;
  readonly user: RegistryUser | null;
};

/** Where a registry is: its address, in which user and password may be. Plain data: threads receive it too. */
export type RegistryUrl = string | SecuredRegistry;

/** The address of a registry, safe to show, and what its connections need. */
export type RegistryAddress = {
  /** Without user, password and query. */
  readonly url: string;
  readonly user: RegistryUser | null;
  readonly tls: TlsFiles | null;
};

/** Splits user and password off an address: no request URL, error or log line contains them. */
export function parseRegistryAddress(place: RegistryUrl): RegistryAddress {
  const { url, tls, user } = typeof place === 'string' ? { url: place, tls: null, user: null } : place;
  const { origin, pathname, username, password } = new URL(url);
  const ofUrl =
    username === '' && password === ''
      ? null
      : { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  return { url: `${origin}${pathname}`.replace(/\/+$/, ''), user: user ?? ofUrl, tls };
}

/** Connections to a registry with the files as they are when each is opened; undefined without settings of TLS. */
export function registryAgent({ url, tls }: RegistryAddress): Agent | undefined {
  if (tls === null) return undefined;
  const { hostname } = new URL(url);
  const agent = new Agent({ keepAlive: true });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, onConnect) =>
    connect({ ...options, ...readTls(tls, hostname) }, onConnect);
  return agent;
}
