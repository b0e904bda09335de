/**
 * The system's code of a failure, such as ECONNREFUSED, from the error or its causes; undefined without one. Safe to report
 * of a failed request: messages of errors contain addresses.
 */
export function systemCode(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)) return code;
  }
  return undefined;
}
