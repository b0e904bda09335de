import { IncompatibleSchemaError } from './errors.ts';
import type { RegistryAddress } from './registry-address.ts';
import { COMPATIBILITY } from './registry-client.ts';
import { RegistryHttpError, requestJson } from './registry-http.ts';

const CHECKS_BACKWARD: ReadonlySet<string> = new Set([
  COMPATIBILITY.BACKWARD,
  COMPATIBILITY.BACKWARD_TRANSITIVE,
  COMPATIBILITY.FULL,
  COMPATIBILITY.FULL_TRANSITIVE,
]);

/**
 * Sets the rule `BACKWARD` on the subject of a topic that has none: the registry's client sets it only after the first schema.
 * Keeps a stricter rule. Returns the rule. Throws `IncompatibleSchemaError` for a weaker one, and `RegistryHttpError`.
 */
export async function requireBackward(
  address: RegistryAddress,
  { topic, subject }: { readonly topic: string; readonly subject: string },
  timeoutMs: number,
): Promise<COMPATIBILITY> {
  const path = `/config/${encodeURIComponent(subject)}`;
  const level = (await requestJson(address, path, { timeoutMs }))?.compatibilityLevel;
  if (typeof level === 'string' && CHECKS_BACKWARD.has(level)) return level as COMPATIBILITY;
  if (level !== undefined && level !== COMPATIBILITY.NONE) {
    const reason = `it is checked as ${String(level)}, which does not include BACKWARD`;
    throw new IncompatibleSchemaError(topic, subject, reason);
  }
  const rule = COMPATIBILITY.BACKWARD;
  await requestJson(address, path, { timeoutMs, put: { compatibility: rule } }).catch((error: unknown) => {
    // 409: another process sets the rule at the same time. No schema was rejected, so the request is retried.
    throw error instanceof RegistryHttpError && error.status === 409
      ? new RegistryHttpError(503, error.message, error)
      : error;
  });
  return rule;
}
