/** Sets the compatibility rule of a registry subject: the registry client sets it only after the first schema. */

import { COMPATIBILITY } from '@kafkajs/confluent-schema-registry';
import { TouchlineError } from '#errors/touchline-error.ts';
import type { RegistryAddress } from './registry-address.ts';
import { RegistryHttpError, requestJson } from './registry-http.ts';

/** Thrown when the rule of a subject admits schemas that cannot read earlier records. */
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
 * Sets the rule `BACKWARD` on a subject that has none, before any schema is registered; keeps a stricter rule. Returns the
 * rule. Throws `CompatibilityError` for a weaker one, and `RegistryHttpError`.
 */
export async function requireBackward(
  address: RegistryAddress,
  subject: string,
  timeoutMs: number,
): Promise<COMPATIBILITY> {
  const path = `/config/${encodeURIComponent(subject)}`;
  const found = await requestJson(address, path, { timeoutMs });
  const level = found?.compatibilityLevel;
  if (typeof level === 'string' && CHECKS_BACKWARD.has(level)) return level as COMPATIBILITY;
  if (level !== undefined && level !== COMPATIBILITY.NONE) {
    throw new CompatibilityError(`it is checked as ${String(level)}, which does not include BACKWARD`);
  }
  const rule = { compatibility: COMPATIBILITY.BACKWARD };
  await requestJson(address, path, { timeoutMs, put: rule }).catch((error: unknown) => {
    // 409: another process sets the rule at the same time. No schema was rejected, so the request is retried.
    throw error instanceof RegistryHttpError && error.status === 409
      ? new RegistryHttpError(503, error.message, error)
      : error;
  });
  return COMPATIBILITY.BACKWARD;
}
