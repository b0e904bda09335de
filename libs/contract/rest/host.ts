/**
 * The Host header values that URLs may be made of: a name, an IPv4 or a bracketed IPv6 address, and a port. Stricter than
 * URLs and HTTP: no character can end the host or begin another part of the URL.
 */
const HOST =
  /^(?:[a-z0-9_](?:[a-z0-9._-]{0,253}[a-z0-9_.])?|\[(?=[^\]]*:)[0-9a-f:.]{2,45}\])(?::(?<port>[0-9]{1,5}))?$/i;
const MAX_PORT = 65_535;

/** Whether a text is `host` or `host:port`. */
export function isHost(text: string): boolean {
  const match = HOST.exec(text);
  return match !== null && Number(match.groups?.port ?? 0) <= MAX_PORT;
}
