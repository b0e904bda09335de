/** The rule by which the registry checks a subject. The registry client sets it only after the first schema is in. */

import { COMPATIBILITY } from '@kafkajs/confluent-schema-registry';
import { TouchlineError } from '#errors/touchline-error.ts';
import type { RegistryAddress } from './registry-address.ts';

/** The registry did not do as asked. `status` is that of HTTP; 503 where there was no answer. */
class RegistryHttpError extends TouchlineError<'RegistryHttpError'> {
  override readonly name = 'RegistryHttpError';
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    super('REGISTRY_ANSWER', message, cause);
    this.status = status;
  }
}

/** A subject is checked by a rule that lets schemas in which cannot read the records before. */
export class CompatibilityError extends TouchlineError<'CompatibilityError'> {
  override readonly name = 'CompatibilityError';

  constructor(message: string, cause?: unknown) {
    super('COMPATIBILITY_TOO_WEAK', message, cause);
  }
}

const CHECKS_BACKWARD: ReadonlySet<string> = new Set([
  COMPATIBILITY.BACKWARD,
  COMPATIBILITY.BACKWARD_TRANSITIVE,
  COMPATIBILITY.FULL,
  COMPATIBILITY.FULL_TRANSITIVE,
]);

/**
 * Sees to it that the subject is checked to be readable backwards, before anything is registered under it: where it has
 * no rule it gets `BACKWARD`; a stricter one stays. Returns the rule. Throws `CompatibilityError` for one that is not.
 */
export async function requireBackward(
  { url, user }: RegistryAddress,
  subject: string,
  timeoutMs: number,
): Promise<COMPATIBILITY> {
  const address = `${url}/config/${encodeURIComponent(subject)}`;
  const authorization =
    user === null ? null : `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`;
  const headers: Record<string, string> = authorization === null ? {} : { authorization };
  const found = await request(address, { headers, signal: AbortSignal.timeout(timeoutMs) });
  const level = found?.compatibilityLevel;
  if (typeof level === 'string' && CHECKS_BACKWARD.has(level)) return level as COMPATIBILITY;
  if (level !== undefined && level !== COMPATIBILITY.NONE) {
    throw new CompatibilityError(`it is checked as ${String(level)}, which does not include BACKWARD`);
  }
  const set = request(address, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify({ compatibility: COMPATIBILITY.BACKWARD }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  await set.catch((error: unknown) => {
    // Another process sets the rule at this moment: to be asked again, not a refusal of any schema.
    throw error instanceof RegistryHttpError && error.status === 409
      ? new RegistryHttpError(503, error.message, error)
      : error;
  });
  return COMPATIBILITY.BACKWARD;
}

/** The JSON of the answer; null for 404. */
async function request(address: string, init: RequestInit): Promise<Record<string, unknown> | null> {
  const response = await fetch(address, init).catch((error: Error) => {
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    throw new RegistryHttpError(503, reason, error);
  });
  const text = await response.text();
  if (response.status === 404) return null;
  if (!response.ok)
    throw new RegistryHttpError(response.status, `status ${response.status}: ${text.slice(0, 200)}`);
  return JSON.parse(text);
}
