/** Judges the facts that the checks of `touchline doctor` collected. Pure. A warning or failure always has an advice. */
import { type PartitionProgress, totalLag } from '#cluster/logs.ts';
import type { DeadLetter, IngressClock, IngressStatus } from '#records/types.ts';
import type { Validity } from '#service/server-tls.ts';
import { feedWords } from '#story/feed-words.ts';
import { rebuildCommand } from '#streams/runtime/positions.ts';
import { isOfSchema } from '#topics/errors.ts';
import type { TopicRecord } from '#topics/follow.ts';
import type { UnreadableRecord } from '#topics/unreadable.ts';
import type { SourceFeedStatus } from '#trading/feed-status.ts';
import { type VersionStamp, wentBack } from '#trading/trading.ts';
import { unreadableText } from '../../followed-topics.ts';

export type CheckName =
  | 'settings'
  | 'broker'
  | 'versions'
  | 'topics'
  | 'rights'
  | 'registry'
  | 'schemas'
  | 'lag'
  | 'positions'
  | 'records'
  | 'webhooks'
  | 'provider'
  | 'feed'
  | 'clock'
  | 'disk'
  | 'tls';

export type CheckResult = {
  readonly check: CheckName;
  /** `warning`: it works, but needs attention. */
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** What to do; null when the status is `ok`. */
  readonly advice: string | null;
};

/** Returns a passed check. */
export function fine(check: CheckName, message: string): CheckResult {
  return { check, status: 'ok', message, advice: null };
}

/** Returns a check that found something that works, but needs attention. */
export function warning(check: CheckName, message: string, advice: string): CheckResult {
  return { check, status: 'warning', message, advice };
}

/** Returns a check that found something that cannot work. */
export function failed(check: CheckName, message: string, advice: string): CheckResult {
  return { check, status: 'failed', message, advice };
}

/** Commands that run processors which an installation may not use. */
const RUN_BY: Readonly<Record<string, string>> = { 'alert-processor': 'alerts --rules <file>' };

/** Pending records above which a processor is behind: some seconds of work. */
const MAX_BEHIND = 100_000;

/** Judges the lag of a processor, and whether it can continue. */
export function* judgeLag(
  processor: string,
  progress: readonly PartitionProgress[],
  members: number,
): Generator<CheckResult> {
  const listed = (is: (position: number, of: PartitionProgress) => boolean): string =>
    progress
      .filter((of) => of.position !== null && is(of.position, of))
      .map(({ partition }) => partition)
      .join(',');
  const lost = listed((position, { start }) => position < start);
  if (lost !== '')
    yield failed(
      'lag',
      `${processor}: input was removed before it was processed, in partitions ${lost}`,
      `restore the topic, or accept the loss: ON_LOST_INPUT=continue, or npx touchline position ${processor} ${lost} start`,
    );
  const beyond = listed((position, { end }) => position > end);
  if (beyond !== '')
    yield failed(
      'lag',
      `${processor}: its position is beyond the end of its input, in partitions ${beyond}`,
      `the input was made again: npx touchline position ${processor} ${beyond} start`,
    );
  const behind = totalLag(progress);
  const state = `${processor}: ${behind} records behind, ${members} ${members === 1 ? 'process' : 'processes'}`;
  const command = RUN_BY[processor];
  if (members === 0 && command !== undefined && progress.every(({ position }) => position === null))
    yield fine('lag', `${processor}: not in use`);
  else if (members === 0) yield warning('lag', state, `start it: npx touchline ${command ?? processor}`);
  else if (behind > MAX_BEHIND)
    yield warning('lag', state, 'check that it falls; start more processes, up to the number of partitions');
  else yield fine('lag', state);
}

/** Judges the records that nobody can read among the last `offsets` of each partition: one finding for each of two causes. */
export function judgeRecords(unreadable: readonly UnreadableRecord[], offsets: number): CheckResult[] {
  if (unreadable.length === 0)
    return [fine('records', `the last ${offsets} offsets of each partition can be read`)];
  const ofSchema = ({ error }: UnreadableRecord) => isOfSchema(error);
  const judge = (of: readonly UnreadableRecord[], advice: string): CheckResult[] => {
    if (of.length === 0) return [];
    const firsts = [...Map.groupBy(of, ({ topic }) => topic).values()].flatMap(([first]) => first ?? []);
    const rest = of.length - firsts.length;
    const text = `nobody can read ${firsts.map(unreadableText).join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
    return [failed('records', text, advice)];
  };
  return [
    ...judge(unreadable.filter(ofSchema), REGISTRY_LOST),
    ...judge(
      unreadable.filter((one) => !ofSchema(one)),
      'find out who else writes to these topics, and take its right to Write: every reader leaves the records out',
    ),
  ];
}

/** A match whose state has an earlier version than a record that it must include. */
type LostVersion = { readonly event_id: number; readonly version: number; readonly known: number };

/** Finds matches whose state lost versions, by the records of all topics of a match. */
export class LostVersions {
  readonly #states = new Map<number, VersionStamp>();
  /** The record with the latest version of each match. */
  readonly #latest = new Map<number, VersionStamp>();

  /** Adds a record, those of a partition in their order. */
  add({ topic, value }: Pick<TopicRecord, 'topic' | 'value'>): void {
    if (value === null || !('event_id' in value && 'version' in value && 'cause' in value)) return;
    const { event_id, version, cause } = value;
    if (topic === 'match-state') this.#states.set(event_id, { version, cause });
    if (version > (this.#latest.get(event_id)?.version ?? 0)) this.#latest.set(event_id, { version, cause });
  }

  /** Returns the matches whose last state denies a record. */
  found(): LostVersion[] {
    return [...this.#states].flatMap(([event_id, state]) => {
      const latest = this.#latest.get(event_id);
      if (latest === undefined || !wentBack(latest, state)) return [];
      return [{ event_id, version: state.version, known: latest.version }];
    });
  }
}

/** Judges matches whose state lost versions: one finding, however many there are. */
export function judgeLostVersions(lost: readonly LostVersion[]): CheckResult[] {
  const [first] = lost;
  if (first === undefined) return [];
  const { event_id, version, known } = first;
  const others = lost.length === 1 ? '' : `, and ${lost.length - 1} more matches went back`;
  return [
    failed(
      'records',
      `event ${event_id} has version ${version} after version ${known}${others}: state was lost in between, or another program writes to ` +
        'the topics of matches. Readers that knew more have closed the guards (version_went_back)',
      rebuildCommand('match-processor'),
    ),
  ];
}

const DAY_MS = 86_400_000;

/** Judges the open dead letters: one finding for all that were written within a day of `now`, Unix milliseconds. */
export function judgeDeadLetters(
  letters: readonly Pick<DeadLetter, 'code' | 'reason' | 'failed_at'>[],
  now: number,
): CheckResult[] {
  const lately = letters.filter(({ failed_at }) => now - failed_at < DAY_MS);
  if (lately.length === 0) return [];
  const causes = [...Map.groupBy(lately, ({ code }) => code)].map(
    ([code, of]) => `${of.length} ${code} (the last: ${of.at(-1)?.reason})`,
  );
  return [
    warning(
      'records',
      `${lately.length} dead letters are less than a day old: ${causes.join('; ')}`,
      'npx touchline dead-letters list shows them, and docs/reference/errors.md what to do for each code',
    ),
  ];
}

/**
 * Leaves out that schemas are not registered where the registry has lost them: that has the same cause, and its advice would give
 * their ids to others.
 */
export function withOneCause(results: readonly CheckResult[]): CheckResult[] {
  const isLost = results.some(({ advice }) => advice === REGISTRY_LOST);
  return results.filter(({ check, status }) => !(isLost && check === 'schemas' && status === 'failed'));
}

const REGISTRY_LOST =
  'the registry lost schemas, or has others under their ids: restore them (docs/guides/runbooks/registry-lost.md); ' +
  'or a program with another registry writes to these topics: take its right to Write';

/** What to do when the registry does not answer. */
export const REGISTRY_ADVICE = 'is SCHEMA_REGISTRY_URL right, the registry up, and reachable from here?';

/** Judges why a registry did not answer within `waitedMs`; `text` describes an unknown error. */
export function judgeNoRegistry(error: unknown, waitedMs: number, text: string): CheckResult {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.name === 'TimeoutError')
      return failed(
        'registry',
        `does not answer within ${waitedMs / 1_000} s: it is slow, or the network drops packets`,
        'check its load, its storage and the network',
      );
    if (/wrong version number|packet length too long/.test(at.message))
      return failed(
        'registry',
        'speaks no TLS, and its address says https',
        'set http in SCHEMA_REGISTRY_URL',
      );
    if ('code' in at && at.code === 'HPE_INVALID_CONSTANT')
      return failed('registry', 'speaks no HTTP on this port', REGISTRY_ADVICE);
  }
  return failed('registry', text, REGISTRY_ADVICE);
}

const SLOW_MS = 1_000;

/** Judges how long the registry took to answer. */
export function judgeRegistrySpeed(tookMs: number): CheckResult {
  if (tookMs < SLOW_MS) return fine('registry', 'answers');
  return warning(
    'registry',
    `is slow: it took ${(tookMs / 1_000).toFixed(1)} s to answer`,
    'check its load and its storage: processes query it when they start, and for each new schema',
  );
}

const SKEW_WARNING_MS = 5_000;
/** Signatures and tokens are valid for minutes. */
const SKEW_FAILED_MS = 60_000;

/**
 * Judges this machine's clock against another, which returned `theirs` (milliseconds, cut to whole seconds) between `before`
 * and `after` (Unix milliseconds).
 */
export function judgeClock(
  who: string,
  times: { before: number; theirs: number; after: number },
): CheckResult {
  const { before, theirs, after } = times;
  const skew = theirs > after ? theirs - after : Math.max(0, before - (theirs + 999));
  const text = `differs by ${Math.round(skew / 1_000)} s from that of ${who}`;
  const advice = 'synchronise the clocks (NTP): signatures, tokens and limits depend on them';
  if (skew >= SKEW_FAILED_MS) return failed('clock', text, advice);
  if (skew >= SKEW_WARNING_MS) return warning('clock', text, advice);
  return fine('clock', `as that of ${who}`);
}

/** Expired deliveries without an accepted one between them that are no single late repetition. */
const MAX_EXPIRED = 2;
/** Time within which running receivers report. */
const REPORTED_WITHIN_MS = 30_000;

/** Judges the clocks of receivers by what their deliveries say: the last report of each instance. */
export function judgeReceiverClocks(reports: Iterable<IngressStatus>): CheckResult[] {
  const all = [...reports].filter(({ clock }) => clock !== null);
  const newest = Math.max(...all.map(({ written_at }) => written_at));
  const findings = all.flatMap(({ clock, written_at }) =>
    clock === null || newest - written_at > REPORTED_WITHIN_MS ? [] : judgeReceiverClock(clock, written_at),
  );
  if (all.length === 0 || findings.length > 0) return findings;
  return [fine('clock', 'of the receivers as that of the provider')];
}

function judgeReceiverClock({ behind_ms, expired }: IngressClock, writtenAt: number): CheckResult[] {
  const at = new Date(writtenAt).toISOString();
  const seconds = Math.round(behind_ms / 1_000);
  const findings: CheckResult[] = [];
  if (behind_ms >= SKEW_WARNING_MS)
    findings.push(
      warning(
        'clock',
        `of a receiver is ${seconds} s behind that of the provider (${at})`,
        'synchronise the clocks (NTP): latencies and feed health depend on them',
      ),
    );
  if (expired > 0) {
    const text = `a receiver refused ${expired} authentic deliveries since the last accepted one: they had expired (${at})`;
    const advice =
      'synchronise the clocks (NTP): its clock is ahead; or the sender repeats without a new signature';
    findings.push((expired > MAX_EXPIRED ? failed : warning)('clock', text, advice));
  }
  return findings;
}

/** Judges the sources of messages by feed-health. */
export function judgeFeeds(sources: readonly SourceFeedStatus[]): CheckResult[] {
  const findings = sources
    .filter(({ believed }) => !believed)
    .map((feed) =>
      warning(
        'feed',
        `${feed.source} is ${feedWords(feed)}`,
        feed.state === 'expired'
          ? 'start the feed monitor: until then no match is safe'
          : 'no match is safe by this source alone; docs/guides/feed-health.md has the causes',
      ),
    );
  if (sources.length === 0 || findings.length > 0) return findings;
  return [fine('feed', `${sources.map(({ source }) => source).join(' and ')}: alive`)];
}

const MIB = 1024 * 1024;
const WARNING_SHARE = 0.1;
const WARNING_BYTES = 1024 * MIB;
const FAILED_BYTES = 128 * MIB;

/** Judges the free space of a disk. */
export function judgeDisk(where: string, freeBytes: number, totalBytes: number): CheckResult {
  const text = `${where}: ${Math.floor(freeBytes / MIB)} MiB free of ${Math.floor(totalBytes / MIB)}`;
  const advice = 'free space, or use a larger disk; docs/reference/topics.md has the retention of topics';
  if (freeBytes < FAILED_BYTES) return failed('disk', text, advice);
  if (freeBytes < WARNING_BYTES || freeBytes < WARNING_SHARE * totalBytes)
    return warning('disk', text, advice);
  return fine('disk', text);
}

/** Judges the status of the provider's answer to the credentials; null when it did not answer. */
export function judgeProvider(status: number | null): CheckResult {
  if (status === 200) return fine('provider', 'accepts the credentials');
  if (status === null)
    return failed('provider', 'does not answer', 'is PROVIDER_BASE_URL right, and reachable from here?');
  if (status === 401 || status === 403)
    return failed(
      'provider',
      `refuses the credentials (${status})`,
      'check PROVIDER_CLIENT_ID and PROVIDER_SECRET_KEY',
    );
  return warning('provider', `answers ${status}`, 'ask the provider; the poller retries');
}

/** As the alert TouchlineCertificateExpires. */
const CERTIFICATE_WARNING_MS = 14 * DAY_MS;
const CERTIFICATE_ADVICE = 'replace the files: they are read again within seconds (docs/guides/secure-it.md)';

/** Judges a certificate of ours, by its setting, at a time (Unix milliseconds). */
export function judgeCertificate(setting: string, { from, to }: Validity, now: number): CheckResult {
  const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const of = `that of ${setting}`;
  if (now >= to)
    return failed('tls', `${of} has expired on ${dayOf(to)}: peers refuse it`, CERTIFICATE_ADVICE);
  if (now < from)
    return failed('tls', `${of} is not valid before ${dayOf(from)}: peers refuse it`, CERTIFICATE_ADVICE);
  const text = `${of} expires on ${dayOf(to)}`;
  return to - now < CERTIFICATE_WARNING_MS ? warning('tls', text, CERTIFICATE_ADVICE) : fine('tls', text);
}
