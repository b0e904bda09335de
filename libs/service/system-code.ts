/**
 * The system's code of a failure, as ECONNREFUSED, of the error or of what caused it; undefined where none has one. What
 * may be reported of a request that failed: messages of errors hold addresses.
 */
export function systemCode(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)) return code;
  }
  return undefined;
}
