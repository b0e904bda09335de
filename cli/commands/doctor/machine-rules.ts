/** Judges clocks, disks, certificates and the provider for `touchline doctor`. Pure. */
import type { IngressStatus } from '#records/types.ts';
import type { Validity } from '#service/server-tls.ts';
import { type CheckResult, failed, fine, orFine, warning } from './finding.ts';

const SKEW_WARNING_MS = 5_000;
/** Signatures and tokens are valid for minutes. */
const SKEW_FAILED_MS = 60_000;
const SYNCHRONISE =
  'synchronise the clocks (NTP): signatures, tokens, latencies and feed health depend on them';

/**
 * Judges this machine's clock against another, which returned `theirs` (milliseconds, cut to whole seconds) between `before`
 * and `after` (Unix milliseconds).
 */
export function judgeClock(
  who: string,
  { before, theirs, after }: { before: number; theirs: number; after: number },
): CheckResult {
  const skew = theirs > after ? theirs - after : Math.max(0, before - (theirs + 999));
  const text = `differs by ${Math.round(skew / 1_000)} s from that of ${who}`;
  if (skew >= SKEW_FAILED_MS) return failed('clock', text, SYNCHRONISE);
  return skew >= SKEW_WARNING_MS ? warning('clock', text, SYNCHRONISE) : fine('clock', `as that of ${who}`);
}

/** Expired deliveries without an accepted one between them that are no single late repetition. */
const MAX_EXPIRED = 2;
const REPORTED_WITHIN_MS = 30_000;
const AHEAD =
  'synchronise the clocks (NTP): its clock is ahead; or the sender repeats without a new signature';

/** Judges the clocks of receivers by what their deliveries say: the last report of each instance. */
export function judgeReceiverClocks(reports: Iterable<IngressStatus>): CheckResult[] {
  const all = [...reports].filter(({ clock }) => clock !== null);
  if (all.length === 0) return [];
  const newest = Math.max(...all.map(({ written_at }) => written_at));
  const findings = all.flatMap(({ clock, written_at }): CheckResult[] => {
    if (clock === null || newest - written_at > REPORTED_WITHIN_MS) return [];
    const at = new Date(written_at).toISOString();
    const behind = `of a receiver is ${Math.round(clock.behind_ms / 1_000)} s behind that of the provider (${at})`;
    const expired = `a receiver refused ${clock.expired} authentic deliveries since the last accepted one: they had expired (${at})`;
    const judge = clock.expired > MAX_EXPIRED ? failed : warning;
    return [
      ...(clock.behind_ms >= SKEW_WARNING_MS ? [warning('clock', behind, SYNCHRONISE)] : []),
      ...(clock.expired > 0 ? [judge('clock', expired, AHEAD)] : []),
    ];
  });
  return orFine(findings, 'clock', 'of the receivers as that of the provider');
}

const MIB = 1024 * 1024;
const WARNING_SHARE = 0.1;
const WARNING_BYTES = 1024 * MIB;
const FAILED_BYTES = 128 * MIB;

export function judgeDisk(where: string, freeBytes: number, totalBytes: number): CheckResult {
  const text = `${where}: ${Math.floor(freeBytes / MIB)} MiB free of ${Math.floor(totalBytes / MIB)}`;
  const advice = 'free space, or use a larger disk; docs/reference/topics.md has the retention of topics';
  if (freeBytes < FAILED_BYTES) return failed('disk', text, advice);
  const isLow = freeBytes < WARNING_BYTES || freeBytes < WARNING_SHARE * totalBytes;
  return isLow ? warning('disk', text, advice) : fine('disk', text);
}

/** Judges the status of the provider's answer to the credentials; null when it did not answer. */
export function judgeProvider(status: number | null): CheckResult {
  if (status === 200) return fine('provider', 'accepts the credentials');
  if (status === null)
    return failed('provider', 'does not answer', 'is PROVIDER_BASE_URL right, and reachable from here?');
  if (status !== 401 && status !== 403)
    return warning('provider', `answers ${status}`, 'ask the provider; the poller retries');
  const advice = 'check PROVIDER_CLIENT_ID and PROVIDER_SECRET_KEY';
  return failed('provider', `refuses the credentials (${status})`, advice);
}

/** As the alert TouchlineCertificateExpires. */
const CERTIFICATE_WARNING_MS = 14 * 86_400_000;

/** Judges a certificate of ours, by its setting, at a time (Unix milliseconds). */
export function judgeCertificate(setting: string, { from, to }: Validity, now: number): CheckResult {
  const advice = 'replace the files: they are read again within seconds (docs/guides/secure-it.md)';
  const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const of = `that of ${setting}`;
  if (now >= to) return failed('tls', `${of} has expired on ${dayOf(to)}: peers refuse it`, advice);
  if (now < from) return failed('tls', `${of} is not valid before ${dayOf(from)}: peers refuse it`, advice);
  const text = `${of} expires on ${dayOf(to)}`;
  return to - now < CERTIFICATE_WARNING_MS ? warning('tls', text, advice) : fine('tls', text);
}
