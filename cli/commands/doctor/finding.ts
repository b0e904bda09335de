/** What `touchline doctor` found. A warning or failure always has an advice. */

export type CheckResult = {
  readonly check: string;
  /** `warning`: it works, but needs attention. */
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** What to do; null when the status is `ok`. */
  readonly advice: string | null;
};

export function fine(check: string, message: string): CheckResult {
  return { check, status: 'ok', message, advice: null };
}

const bad = (status: 'warning' | 'failed') => (check: string, message: string, advice: string) => ({
  check,
  status,
  message,
  advice,
});
export const warning = bad('warning');
export const failed = bad('failed');

/** Returns the findings, or without any that all is well. */
export function orFine(findings: CheckResult[], check: string, message: string): CheckResult[] {
  return findings.length > 0 ? findings : [fine(check, message)];
}
