import type { Validity } from '#service/server-tls.ts';
import { type CheckResult, failed, fine, warning } from './rules.ts';

const DAY_MS = 86_400_000;
/** As the alert TouchlineCertificateExpires. */
const WARNING_MS = 14 * DAY_MS;
const ADVICE = 'replace the files: they are read again within seconds (docs/guides/secure-it.md)';

/** Judges a certificate of ours, by its setting, at a time (Unix milliseconds). */
export function judgeCertificate(setting: string, { from, to }: Validity, now: number): CheckResult {
  const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const of = `that of ${setting}`;
  if (now >= to) return failed('tls', `${of} has expired on ${dayOf(to)}: peers refuse it`, ADVICE);
  if (now < from) return failed('tls', `${of} is not valid before ${dayOf(from)}: peers refuse it`, ADVICE);
  const text = `${of} expires on ${dayOf(to)}`;
  return to - now < WARNING_MS ? warning('tls', text, ADVICE) : fine('tls', text);
}
