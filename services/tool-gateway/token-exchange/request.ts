import { z } from 'zod';
import { MAX_LABEL } from '#clients/access-tokens.ts';
import { object } from '#domain/values.ts';
import type { CodeOf } from '#errors/catalogue.ts';
import { defineError } from '#errors/touchline-error.ts';

/** Errors of the token exchange (spec, "Errors"), and those of HTTP itself. */
export const EXCHANGE_ERRORS = {
  MISSING_FIELDS: {
    status: 400,
    message: 'client_id and secret_key are required, as strings in a JSON object',
  },
  INVALID_LABEL: { status: 400, message: 'label must be a string of at most 256 characters' },
  INVALID_CREDENTIALS: { status: 403, message: 'The credentials are not accepted' },
  TENANT_SLUG_CONFLICT: { status: 409, message: 'The account is not set up for the tool endpoint' },
  RATE_LIMIT_EXCEEDED: { status: 429, message: 'Too many attempts, try again later' },
  STATSCORE_UNAVAILABLE: { status: 502, message: 'The authentication service does not answer, try again' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'Only POST is allowed' },
  BODY_TOO_LARGE: { status: 413, message: 'The body is too large' },
  /** The upstream's answer is outside the contract: UPSTREAM_BASE_URL is wrong. */
  UPSTREAM_MISCONFIGURED: { status: 500, message: 'The server is not set up correctly' },
  INTERNAL_ERROR: { status: 500, message: 'Server error' },
} as const satisfies Record<CodeOf<'ExchangeError'>, object>;

export type ExchangeErrorCode = keyof typeof EXCHANGE_ERRORS;

/** Thrown to answer an exchange with an error. Its message is from the table, and contains no value of the request. */
export class ExchangeError extends defineError('ExchangeError') {
  /** Seconds until another attempt may be admitted; null if unknown. */
  readonly retryAfter: number | null;

  constructor(code: ExchangeErrorCode, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(code, EXCHANGE_ERRORS[code].message, options.cause);
    this.retryAfter = options.retryAfter ?? null;
  }
}

/** Maximum size of a body, in bytes: large enough that an oversized label is answered with `invalid_label`. */
export const BODY_LIMIT = 1_048_576;

/** Maximum length of a secret, in bytes: percent-encoded, the upstream's URL stays below 16 KiB. */
export const MAX_SECRET_BYTES = 4_096;

/** A request of the token exchange. Never log it. */
export type ExchangeRequest = {
  readonly clientId: string;
  readonly secretKey: string;
  readonly label: string | null;
};

/** A URL holds well-formed text only. No credential is other text, so the upstream refuses the converted one. */
const credential = z
  .string()
  .min(1)
  .transform((text) => text.toWellFormed());

const exchangeInput = z.object({
  client_id: credential,
  secret: credential,
  label: z
    .string()
    .refine((text) => text.isWellFormed() && [...text].length <= MAX_LABEL)
    .optional(),
});

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses an exchange's body (spec, "Token exchange for the tool endpoint"). Throws `MISSING_FIELDS` before `INVALID_LABEL`. */
export function parseExchange(contentType: string | undefined, body: Uint8Array): ExchangeRequest {
  const given = JSON_TYPE.test(contentType ?? '') ? object(parseBody(body)) : null;
  const { client_id, secret_key, client_secret, label } = given ?? {};
  // An empty or null secret is missing: the alias is used.
  const secret = secret_key == null || secret_key === '' ? client_secret : secret_key;
  const { data, error } = exchangeInput.safeParse({ client_id, secret, label });
  if (data !== undefined)
    return { clientId: data.client_id, secretKey: data.secret, label: data.label ?? null };
  const isLabel = error.issues.every(({ path }) => path[0] === 'label');
  throw new ExchangeError(isLabel ? 'INVALID_LABEL' : 'MISSING_FIELDS');
}

function parseBody(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    return null;
  }
}
