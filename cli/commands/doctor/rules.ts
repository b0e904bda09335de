/** Judges the facts that the checks of `touchline doctor` collected. Pure. A warning or failure always has an advice. */
import type { ClusterFacts, TopicFacts } from '#cluster/describe.ts';
import { type PartitionProgress, totalLag } from '#cluster/logs.ts';
import type { DeadLetter, IngressClock, IngressStatus } from '#records/types.ts';
import { feedWords } from '#story/feed-words.ts';
import { rebuildCommand } from '#streams/runtime/positions.ts';
import { isOfSchema } from '#topics/errors.ts';
import type { UnreadableRecord } from '#topics/readable.ts';
import type { SchemaState } from '#topics/registry.ts';
import { type LostTopic, lostAdvice, lostText, topicIdsName } from '#topics/topic-ids.ts';
import { judgeTopic, mismatchText, type TopicMismatch, type WantedTopic } from '#topics/topic-rule.ts';
import type { TopicName } from '#topics/topics.ts';
import type { SourceFeedStatus } from '#trading/feed-status.ts';
import { unreadableText } from '../../unreadable.ts';
import { deriverOf } from '../rebuild/derived.ts';
import type { LostVersion } from './lost-versions.ts';

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

export const MAKE_TOPICS = 'run npx touchline topics';

/** Judges the topics against the required ones. `lost`: missing topics that `judgeRefusals` judges. */
export function judgeTopics(
  required: readonly WantedTopic[],
  found: ClusterFacts['topics'],
  lost: ReadonlySet<string> = new Set(),
): CheckResult[] {
  const missing = required.filter(({ name }) => !found.has(name) && !lost.has(name)).map(({ name }) => name);
  const mismatches = required.flatMap((topic) => {
    const facts = found.get(topic.name);
    return facts === undefined ? [] : judgeTopic(topic, facts);
  });
  const findings = [
    ...judgeMismatches(mismatches),
    ...required.flatMap(({ name }) => [...judgeReplicas(name, found.get(name))]),
  ];
  if (missing.length > 0)
    findings.unshift(
      failed('topics', `missing: ${missing.join(', ')}`, `${MAKE_TOPICS}; is TOPIC_PREFIX right?`),
    );
  return findings.length > 0 || lost.size > 0
    ? findings
    : [fine('topics', `${required.length} topics as the table has them`)];
}

/**
 * Judges topics that are not those which the system was made with: one finding, however many there are. `unnamed`: existing topics that
 * the topic of their ids does not name, `isRecorded`: whether it names any.
 */
export function judgeLost(
  prefix: string,
  lost: readonly LostTopic[],
  { unnamed, isRecorded }: { readonly unnamed: readonly TopicName[]; readonly isRecorded: boolean },
): CheckResult[] {
  if (unnamed.length > 0) {
    const names = isRecorded ? unnamed.join(',') : 'all';
    return [
      failed(
        'topics',
        `${topicIdsName(prefix)} has lost records and does not name ${names}: their loss would not be noticed`,
        `check that no topic is missing, then ${MAKE_TOPICS} --accept ${names}`,
      ),
    ];
  }
  if (lost.length === 0) return [];
  const derivers = Map.groupBy(lost, ({ topic }) => deriverOf(topic));
  derivers.delete(null);
  const again = [...derivers].map(
    ([of, derived]) =>
      `; ${rebuildCommand(of ?? '')} derives ${derived.map(({ topic }) => topic).join(' and ')} again`,
  );
  return [failed('topics', lostText(prefix, lost), lostAdvice(lost, 'topics') + again.join(''))];
}

/** Names one cause in one finding, however many topics have it. */
function* judgeMismatches(mismatches: readonly TopicMismatch[]): Generator<CheckResult> {
  const broken = mismatches.filter(({ breaks }) => breaks);
  for (const of of Map.groupBy(broken, ({ setting }) => setting).values()) {
    const texts = [...Map.groupBy(of, causeOf).values()].map((same) => {
      const [first] = same as [TopicMismatch];
      return mismatchText({ ...first, topic: same.map(({ topic }) => topic).join(', ') });
    });
    yield failed(
      'topics',
      texts.join('; '),
      `${MAKE_TOPICS}: it repairs what has lost nothing, and names the command for the rest`,
    );
  }
  const defaults = mismatches.filter(({ breaks }) => !breaks);
  if (defaults.length > 0)
    yield warning(
      'topics',
      `nobody chose these settings, so the broker's defaults apply: ${defaults.map(mismatchText).join('; ')}`,
      MAKE_TOPICS,
    );
}

function causeOf({ found, wanted }: TopicMismatch): string {
  return `${found} ${wanted}`;
}

function* judgeReplicas(name: string, facts: TopicFacts | undefined): Generator<CheckResult> {
  if (facts === undefined) return;
  if (facts.leaderless > 0)
    yield failed(
      'topics',
      `${name} has ${facts.leaderless} partitions without a leader`,
      'start the brokers that hold them',
    );
  else if (facts.inSync < facts.replicas)
    yield warning(
      'topics',
      `${name} has ${facts.inSync} of ${facts.replicas} replicas in sync`,
      'find the broker that is down or behind',
    );
}

/** Judges the rights of these credentials. Missing rights are a warning: each service needs other ones. */
export function judgeRights(found: ClusterFacts['topics']): CheckResult[] {
  const all = [...found];
  const lacks = (right: 'mayRead' | 'mayWrite', verb: string): CheckResult[] => {
    const names = all.filter(([, facts]) => !facts[right]).map(([name]) => name);
    const advice = 'grant it to these credentials if their service needs it';
    return names.length > 0 ? [warning('rights', `may not ${verb} ${names.join(', ')}`, advice)] : [];
  };
  const findings = [...lacks('mayRead', 'read'), ...lacks('mayWrite', 'write')];
  if (findings.length > 0 || all.length === 0) return findings;
  return [fine('rights', 'may read and write every topic')];
}

/** Judges whether the advertised brokers can be reached from here. */
export function judgeBrokers({
  brokers,
  unreachable,
}: Pick<ClusterFacts, 'brokers' | 'unreachable'>): CheckResult {
  if (unreachable.length === 0) return fine('broker', `${brokers.length} answer: ${brokers.join(', ')}`);
  return failed(
    'broker',
    `${unreachable.join(', ')} of ${brokers.length} brokers cannot be reached from here`,
    'start them, or correct advertised.listeners: clients connect to these addresses',
  );
}

/** Judges whether the registry has the schemas of this release. */
export function judgeSchemas(states: ReadonlyMap<string, SchemaState>): CheckResult[] {
  const found = Map.groupBy(states.keys(), (subject) => states.get(subject));
  const of = (state: SchemaState, judge: (subjects: string) => CheckResult): CheckResult[] => {
    const subjects = found.get(state);
    return subjects === undefined ? [] : [judge(subjects.join(', '))];
  };
  const findings = [
    ...of('missing', (subjects) => failed('schemas', `not registered: ${subjects}`, MAKE_TOPICS)),
    ...of('unreadable', (subjects) =>
      failed(
        'schemas',
        `this release cannot read what is written with the newest schema of ${subjects}`,
        'run a newer release; or something else has registered it: is TOPIC_PREFIX right?',
      ),
    ),
    ...of('another version', (subjects) =>
      warning('schemas', `not the newest schema: ${subjects}`, `${MAKE_TOPICS} of the newest release here`),
    ),
  ];
  return findings.length > 0 ? findings : [fine('schemas', `${states.size} schemas are registered`)];
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

/** Age of dead letters that are reported, milliseconds. */
const LATELY_MS = 86_400_000;

/** Judges the last dead letters: one finding for all that were written within a day of `now`, Unix milliseconds. */
export function judgeDeadLetters(letters: readonly DeadLetter[], now: number): CheckResult[] {
  const lately = letters.filter(({ failed_at }) => now - failed_at < LATELY_MS);
  if (lately.length === 0) return [];
  const causes = [...Map.groupBy(lately, ({ code }) => code)].map(
    ([code, of]) => `${of.length} ${code} (the last: ${of.at(-1)?.reason})`,
  );
  const text = `of the last dead letters ${lately.length} are less than a day old: ${causes.join('; ')}`;
  return [
    warning(
      'records',
      text,
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
  const findings = sources.flatMap((source) => (source.believed ? [] : [judgeFeed(source)]));
  if (sources.length === 0 || findings.length > 0) return findings;
  return [fine('feed', `${sources.map(({ source }) => source).join(' and ')}: alive`)];
}

function judgeFeed(feed: SourceFeedStatus): CheckResult {
  const advice =
    feed.state === 'expired'
      ? 'start the feed monitor: until then no match is safe'
      : 'no match is safe by this source alone; docs/guides/feed-health.md has the causes';
  return warning('feed', `${feed.source} is ${feedWords(feed)}`, advice);
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
