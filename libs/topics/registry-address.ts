/** The address of a registry, safe to show, and its credentials. */
export type RegistryAddress = {
  /** Without user, password and query. */
  readonly url: string;
  readonly user: { readonly username: string; readonly password: string } | null;
};

/** Splits user and password off an address: no request URL, error or log line contains them. */
export function parseRegistryAddress(address: string): RegistryAddress {
  const { origin, pathname, username, password } = new URL(address);
  return {
    url: `${origin}${pathname}`.replace(/\/+$/, ''),
    user:
      username === '' && password === ''
        ? null
        : { username: decodeURIComponent(username), password: decodeURIComponent(password) },
  };
}
