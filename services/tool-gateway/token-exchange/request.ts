import { z } from 'zod';
import { MAX_LABEL } from '#clients/access-tokens.ts';
import { ExchangeError } from './errors.ts';

/** Maximum size of a body, in bytes: large enough that an oversized label is answered with `invalid_label`. */
export const BODY_LIMIT = 1_048_576;

/**
 * Maximum length of a secret, in bytes; no client has a longer one. Percent-encoding at most triples it, so the
 * upstream's URL stays below the 16 KiB that an HTTP server accepts.
 */
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

/** An empty or null secret is missing: the alias is used. */
const secret = z.union([credential, z.literal('').transform(() => null), z.null()]).optional();

const credentials = z
  .object({ client_id: credential, secret_key: secret, client_secret: secret })
  .transform(({ client_id, secret_key, client_secret }, context) => {
    const secretKey = secret_key ?? client_secret ?? null;
    if (secretKey !== null) return { clientId: client_id, secretKey };
    context.addIssue({ code: 'custom', message: 'no secret' });
    return z.NEVER;
  });

const labelled = z.object({
  label: z
    .string()
    .refine((text) => text.isWellFormed() && [...text].length <= MAX_LABEL)
    .optional(),
});

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the body of an exchange (spec, "Token exchange for the tool endpoint"). `secret_key` takes precedence over its
 * alias. Throws `ExchangeError` `MISSING_FIELDS` or `INVALID_LABEL`, checked in this order.
 */
export function parseExchange(contentType: string | undefined, body: Uint8Array): ExchangeRequest {
  if (!JSON_TYPE.test(contentType ?? '')) throw new ExchangeError('MISSING_FIELDS');
  const json = parseJson(body);
  const given = credentials.safeParse(json);
  if (!given.success) throw new ExchangeError('MISSING_FIELDS');
  const named = labelled.safeParse(json);
  if (!named.success) throw new ExchangeError('INVALID_LABEL');
  return { ...given.data, label: named.data.label ?? null };
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    throw new ExchangeError('MISSING_FIELDS');
  }
}
