/** The compatibility rule of a registry subject. The registry client sets it only after the first schema. */

import { COMPATIBILITY } from '@kafkajs/confluent-schema-registry';
import { TouchlineError } from '#errors/touchline-error.ts';
import type { RegistryAddress } from './registry-address.ts';

/** The registry refused a request. `status` is the HTTP status; 503 without an answer. */
class RegistryHttpError extends TouchlineError<'RegistryHttpError'> {
  override readonly name = 'RegistryHttpError';
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    super('REGISTRY_ANSWER', message, cause);
    this.status = status;
  }
}

/** The rule of a subject admits schemas that cannot read earlier records. */
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
 * Makes the subject backward compatible before any schema is registered: sets `BACKWARD` where it has no rule, and keeps
 * a stricter one. Returns the rule. Throws `CompatibilityError` for a weaker one.
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
    // Another process sets the rule at the same time: retry, since no schema was rejected.
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
