import { z } from 'zod';
import { MAX_LABEL } from '#clients/access-tokens.ts';
import { ExchangeError } from './errors.ts';

/** Largest body, in bytes: a label that is too long is answered as such, however long it is within reason. */
export const BODY_LIMIT = 1_048_576;

/**
 * Longest secret, in bytes; a longer one is nobody's. Percent-encoded it is at most three times as long: the upstream's
 * URL stays below the 16 KiB that an HTTP server takes.
 */
export const MAX_SECRET_BYTES = 4_096;

/** What an exchange is asked for. Never to be logged. */
export type ExchangeRequest = {
  readonly clientId: string;
  readonly secretKey: string;
  readonly label: string | null;
};

/** A URL holds well-formed text only; other text cannot be a credential. */
const credential = z
  .string()
  .min(1)
  .transform((text) => text.toWellFormed());

/** Left empty, a secret is missing: its alias counts. */
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
 * Reads the body of an exchange (spec, "Token exchange for the tool endpoint"). `secret_key` counts where both it and its
 * alias are there. Throws `ExchangeError` `MISSING_FIELDS` or `invalid_label`, in this order.
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
