/**
 * What a Host header may hold where URLs are made of it: a name, an IPv4 or a bracketed IPv6 address, and a port. URLs
 * and HTTP allow more in a name, which no resolver answers to; nothing here can end a host or begin anything else.
 */
const HOST =
  /^(?:[a-z0-9_](?:[a-z0-9._-]{0,253}[a-z0-9_.])?|\[(?=[^\]]*:)[0-9a-f:.]{2,45}\])(?::(?<port>[0-9]{1,5}))?$/i;
const MAX_PORT = 65_535;

/** Whether a text is `host` or `host:port`. */
export function isHost(text: string): boolean {
  const match = HOST.exec(text);
  return match !== null && Number(match.groups?.port ?? 0) <= MAX_PORT;
}
