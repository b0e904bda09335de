/** Where a registry is: an address that may be shown, and who asks there. */
export type RegistryAddress = {
  /** Without user, password and query. */
  readonly url: string;
  readonly user: { readonly username: string; readonly password: string } | null;
};

/** Takes user and password out of an address: no request carries them in its URL, and no error or log line shows them. */
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
