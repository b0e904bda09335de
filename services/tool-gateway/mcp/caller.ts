import type { Access } from '#contract/rest/provider.ts';

/** Who calls, by a personal access token that was good at the time of the request. */
export type Caller = {
  /** Identifies the token in logs and limits without revealing its text. */
  readonly tokenId: string;
  readonly clientId: number;
};

/** What the contract of a client covers as of now; undefined for a client that is no more. */
export type AccessOf = (clientId: number) => Access | undefined;

export const NO_ACCESS: Access = { clientId: 0, competitions: new Set(), operations: new Set() };

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;
/** Longer than any token. */
const MAX_HEADER = 1_000;

/** The token of an `Authorization` header (RFC 6750); null where it has none. */
export function bearerOf(header: string | undefined): string | null {
  if (header === undefined || header.length > MAX_HEADER) return null;
  return BEARER.exec(header)?.[1] ?? null;
}

/**
 * `WWW-Authenticate` for a request without a good token (RFC 6750, section 3): an error only where it came with a bearer
 * token; whoever sends nothing, or another scheme, learns the scheme.
 */
export function challenge(authorization: string | undefined): string {
  const realm = 'Bearer realm="touchline"';
  return /^Bearer\b/i.test(authorization ?? '')
    ? `${realm}, error="invalid_token", error_description="unknown, expired or revoked token"`
    : realm;
}
