import type { Access } from '#contract/rest/provider.ts';

/** The caller of a request, with a personal access token that was valid at that time. */
export type Caller = {
  /** Identifies the token in logs and limits without revealing its text. */
  readonly tokenId: string;
  readonly clientId: number;
};

/** Returns what the contract of a client covers now; undefined for a client that no longer exists. */
export type AccessOf = (clientId: number) => Access | undefined;

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;
/** Maximum length of a header, characters: longer than any token. */
const MAX_HEADER = 1_000;

/** Returns the bearer token of an `Authorization` header (RFC 6750); null if it has none. */
export function bearerOf(header: string | undefined): string | null {
  if (header === undefined || header.length > MAX_HEADER) return null;
  return BEARER.exec(header)?.[1] ?? null;
}

/** Returns `WWW-Authenticate` for a request without a valid token (RFC 6750, section 3): with an error only if it has one. */
export function challenge(authorization: string | undefined): string {
  const realm = 'Bearer realm="touchline"';
  return /^Bearer\b/i.test(authorization ?? '')
    ? `${realm}, error="invalid_token", error_description="unknown, expired or revoked token"`
    : realm;
}
