/** Judges the facts that the checks of `touchline doctor` collected. Pure. A warning or failure always has an advice. */
import type { ClusterFacts, TopicFacts } from '#cluster/describe.ts';
import { type PartitionProgress, totalLag } from '#cluster/logs.ts';
import type { Refusals } from '#cluster/refusals.ts';
import type { DeadLetter, IngressStatus } from '#records/types.ts';
import { certificateFault } from '#security/tls.ts';
import type { Validity } from '#service/server-tls.ts';
import { feedWords } from '#story/feed-words.ts';
import { rebuildCommand } from '#streams/runtime/positions.ts';
import { isOfSchema } from '#topics/errors.ts';
import type { TopicRecord } from '#topics/follow.ts';
import type { SchemaState } from '#topics/registry.ts';
import { type LostTopic, lostAdvice, lostText, topicIdsName } from '#topics/topic-ids.ts';
import { judgeTopic, mismatchText, type WantedTopic } from '#topics/topic-rule.ts';
import type { TopicName } from '#topics/topics.ts';
import type { UnreadableRecord } from '#topics/unreadable.ts';
import type { SourceFeedStatus } from '#trading/feed-status.ts';
import { type VersionStamp, wentBack } from '#trading/trading.ts';
import { unreadableText } from '../../followed-topics.ts';
import { deriverOf } from '../rebuild/losses.ts';
import { lastText, type WebhookRow } from '../webhooks/topics.ts';

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

function orFine(findings: CheckResult[], check: string, message: string): CheckResult[] {
  return findings.length > 0 ? findings : [fine(check, message)];
}

const MAKE_TOPICS = 'run npx touchline topics';

/** Judges the topics against the required ones. `lost`: missing topics that `judgeLost` and `judgeRefusals` judge. */
export function judgeTopics(
  required: readonly WantedTopic[],
  found: ClusterFacts['topics'],
  lost: ReadonlySet<string> = new Set(),
): CheckResult[] {
  const missing = required.filter(({ name }) => !found.has(name) && !lost.has(name)).map(({ name }) => name);
  const existing = required.flatMap((topic) => {
    const facts = found.get(topic.name);
    return facts === undefined ? [] : [{ topic, facts }];
  });
  const mismatches = existing.flatMap(({ topic, facts }) => judgeTopic(topic, facts));
  const textsOf = (breaks: boolean): string =>
    mismatches.flatMap((one) => (one.breaks === breaks ? mismatchText(one) : [])).join('; ');
  const faults = [
    [failed, 'missing: ', missing.join(', '), `${MAKE_TOPICS}; is TOPIC_PREFIX right?`],
    [
      failed,
      '',
      textsOf(true),
      `${MAKE_TOPICS}: it repairs what has lost nothing, and names the command for the rest`,
    ],
    [warning, "nobody chose these settings, so the broker's defaults apply: ", textsOf(false), MAKE_TOPICS],
  ] as const;
  const findings = [
    ...existing.flatMap(({ topic, facts }) => judgeReplicas(topic.name, facts)),
    ...faults.flatMap(([judge, before, of, advice]) =>
      of === '' ? [] : judge('topics', before + of, advice),
    ),
  ];
  if (lost.size > 0) return findings;
  return orFine(findings, 'topics', `${required.length} topics as the table has them`);
}

function judgeReplicas(name: string, { leaderless, inSync, replicas }: TopicFacts): CheckResult[] {
  if (leaderless > 0) {
    const text = `${name} has ${leaderless} partitions without a leader`;
    return [failed('topics', text, 'start the brokers that hold them')];
  }
  if (inSync >= replicas) return [];
  const text = `${name} has ${inSync} of ${replicas} replicas in sync`;
  return [warning('topics', text, 'find the broker that is down or behind')];
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
    const text = `${topicIdsName(prefix)} has lost records and does not name ${names}: their loss would not be noticed`;
    return [failed('topics', text, `check that no topic is missing, then ${MAKE_TOPICS} --accept ${names}`)];
  }
  if (lost.length === 0) return [];
  const derivers = Map.groupBy(lost, ({ topic }) => deriverOf(topic));
  const again = [...derivers].map(([of, derived]) =>
    of === null
      ? ''
      : `; ${rebuildCommand(of)} derives ${derived.map(({ topic }) => topic).join(' and ')} again`,
  );
  return [failed('topics', lostText(prefix, lost), lostAdvice(lost, 'topics') + again.join(''))];
}

/** Judges the rights of these credentials. Missing rights are a warning: each service needs other ones. */
export function judgeRights(found: ClusterFacts['topics']): CheckResult[] {
  if (found.size === 0) return [];
  const lacks = (right: 'mayRead' | 'mayWrite', verb: string): CheckResult[] => {
    const names = [...found].filter(([, facts]) => !facts[right]).map(([name]) => name);
    const advice = 'grant it to these credentials if their service needs it';
    return names.length > 0 ? [warning('rights', `may not ${verb} ${names.join(', ')}`, advice)] : [];
  };
  const findings = [...lacks('mayRead', 'read'), ...lacks('mayWrite', 'write')];
  return orFine(findings, 'rights', 'may read and write every topic');
}

/** Judges whether the advertised brokers can be reached from here. */
export function judgeBrokers(facts: Pick<ClusterFacts, 'brokers' | 'unreachable'>): CheckResult {
  const { brokers, unreachable } = facts;
  if (unreachable.length === 0) return fine('broker', `${brokers.length} answer: ${brokers.join(', ')}`);
  const text = `${unreachable.join(', ')} of ${brokers.length} brokers cannot be reached from here`;
  const advice = 'start them, or correct advertised.listeners: clients connect to these addresses';
  return failed('broker', text, advice);
}

const UNREADABLE = 'this release cannot read what is written with the newest schema of';
const REGISTER_NEWER = 'run a newer release; or something else has registered it: is TOPIC_PREFIX right?';
const SCHEMA_FAULTS: readonly [SchemaState, typeof failed, text: string, advice: string][] = [
  ['missing', failed, 'not registered:', MAKE_TOPICS],
  ['unreadable', failed, UNREADABLE, REGISTER_NEWER],
  ['another version', warning, 'not the newest schema:', `${MAKE_TOPICS} of the newest release here`],
];

/** Judges whether the registry has the schemas of this release. */
export function judgeSchemas(states: ReadonlyMap<string, SchemaState>): CheckResult[] {
  const findings = SCHEMA_FAULTS.flatMap(([state, judge, text, advice]) => {
    const subjects = [...states].filter(([, own]) => own === state).map(([subject]) => subject);
    return subjects.length === 0 ? [] : [judge('schemas', `${text} ${subjects.join(', ')}`, advice)];
  });
  return orFine(findings, 'schemas', `${states.size} schemas are registered`);
}

/** A missing topic whose records are lost, and the processor whose rebuild derives them again; null when none does. */
type UnderivedTopic = { readonly name: string; readonly deriver: string | null };

/** Judges whether the logs of a processor are those that its positions were written with. */
export function judgeRefusals(
  processor: string,
  lost: readonly UnderivedTopic[],
  refused: Refusals['refused'],
): CheckResult[] {
  const ofLost = lost.map(({ name, deriver }) =>
    failed(
      'positions',
      `${name} is missing, and ${processor} had processed or written records of it: they are lost`,
      deriver === null
        ? 'restore the topic from a backup, or have it empty: npx touchline topics'
        : `${MAKE_TOPICS}, which creates it empty, and then ${rebuildCommand(deriver)}, which derives it again`,
    ),
  );
  // These two are findings of the lag.
  const others = refused.filter(({ error }) => !['POSITION_BEYOND_END', 'INPUT_LOST'].includes(error.code));
  const ofRefused = [...Map.groupBy(others, ({ error }) => error.code)].map(([code, of]) => {
    const partitions = of.map(({ partition }) => partition);
    return failed(
      'positions',
      `${processor} refuses partitions ${partitions.join(', ')} (${code}): ${of[0]?.error.message}`,
      'partitions and offsets in the commands are those of the first: docs/guides/operate.md, "Refused partitions"',
    );
  });
  return orFine([...ofLost, ...ofRefused], 'positions', `${processor}: its logs are those of its positions`);
}

/** Commands that run processors which an installation may not use. */
const RUN_BY: Readonly<Record<string, string>> = { 'alert-processor': 'alerts --rules <file>' };

/** Pending records above which a processor is behind: some seconds of work. */
const MAX_BEHIND = 100_000;

/** Judges the lag of a processor, and whether it can continue. */
export function judgeLag(
  processor: string,
  progress: readonly PartitionProgress[],
  members: number,
): CheckResult[] {
  const judge = (
    is: (position: number, of: PartitionProgress) => boolean,
    problem: string,
    advice: string,
  ): CheckResult[] => {
    const found = progress.filter((of) => of.position !== null && is(of.position, of));
    if (found.length === 0) return [];
    const partitions = found.map(({ partition }) => partition).join(',');
    const command = `npx touchline position ${processor} ${partitions} start`;
    return [failed('lag', `${processor}: ${problem}, in partitions ${partitions}`, `${advice} ${command}`)];
  };
  return [
    ...judge(
      (position, { start }) => position < start,
      'input was removed before it was processed',
      'restore the topic, or accept the loss: ON_LOST_INPUT=continue, or',
    ),
    ...judge(
      (position, { end }) => position > end,
      'its position is beyond the end of its input',
      'the input was made again:',
    ),
    judgeWork(processor, progress, members),
  ];
}

function judgeWork(processor: string, progress: readonly PartitionProgress[], members: number): CheckResult {
  const behind = totalLag(progress);
  const state = `${processor}: ${behind} records behind, ${members} ${members === 1 ? 'process' : 'processes'}`;
  const command = RUN_BY[processor];
  const hasBegun = progress.some(({ position }) => position !== null);
  if (members === 0 && command !== undefined && !hasBegun) return fine('lag', `${processor}: not in use`);
  if (members === 0) return warning('lag', state, `start it: npx touchline ${command ?? processor}`);
  if (behind <= MAX_BEHIND) return fine('lag', state);
  return warning('lag', state, 'check that it falls; start more processes, up to the number of partitions');
}

const REGISTRY_LOST =
  'the registry lost schemas, or has others under their ids: restore them (docs/guides/runbooks/registry-lost.md); ' +
  'or a program with another registry writes to these topics: take its right to Write';
const FOREIGN_WRITER =
  'find out who else writes to these topics, and take its right to Write: every reader leaves the records out';

/** Leaves out that schemas are not registered where the registry has lost them: to register them would give their ids to others. */
export function withOneCause(results: readonly CheckResult[]): CheckResult[] {
  const isLost = results.some(({ advice }) => advice === REGISTRY_LOST);
  return results.filter(({ check, status }) => !(isLost && check === 'schemas' && status === 'failed'));
}

/** Judges the records that nobody can read among the last `offsets` of each partition: one finding for each of two causes. */
export function judgeRecords(unreadable: readonly UnreadableRecord[], offsets: number): CheckResult[] {
  const byCause = Map.groupBy(unreadable, ({ error }) => isOfSchema(error));
  const findings = [...byCause].map(([isSchemas, of]) => {
    const firsts = [...Map.groupBy(of, ({ topic }) => topic).values()].flatMap(([first]) => first ?? []);
    const rest = of.length - firsts.length;
    const text = `nobody can read ${firsts.map(unreadableText).join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
    return failed('records', text, isSchemas ? REGISTRY_LOST : FOREIGN_WRITER);
  });
  return orFine(findings, 'records', `the last ${offsets} offsets of each partition can be read`);
}

/** Finds matches whose state lost versions, by the records of all topics of a match. */
export function lostVersions() {
  const states = new Map<number, VersionStamp>();
  const latest = new Map<number, VersionStamp>();
  return {
    add({ topic, value }: Pick<TopicRecord, 'topic' | 'value'>): void {
      if (value === null || !('event_id' in value && 'version' in value && 'cause' in value)) return;
      const { event_id, version, cause } = value;
      if (topic === 'match-state') states.set(event_id, { version, cause });
      if (version > (latest.get(event_id)?.version ?? 0)) latest.set(event_id, { version, cause });
    },
    /** Judges the matches whose last state denies a record: one finding, however many there are. */
    judge(): CheckResult[] {
      const lost = [...states].flatMap(([id, state]) => {
        const last = latest.get(id);
        if (last === undefined || !wentBack(last, state)) return [];
        return [`event ${id} has version ${state.version} after version ${last.version}`];
      });
      if (lost.length === 0) return [];
      const others = lost.length === 1 ? '' : `, and ${lost.length - 1} more matches went back`;
      const why =
        'state was lost in between, or another program writes to the topics of matches. ' +
        'Readers that knew more have closed the guards (version_went_back)';
      return [failed('records', `${lost[0]}${others}: ${why}`, rebuildCommand('match-processor'))];
    },
  };
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
  const text = `${lately.length} dead letters are less than a day old: ${causes.join('; ')}`;
  const advice =
    'npx touchline dead-letters list shows them, and docs/reference/errors.md what to do for each code';
  return [warning('records', text, advice)];
}

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

export function judgeFeeds(sources: readonly SourceFeedStatus[]): CheckResult[] {
  if (sources.length === 0) return [];
  const findings = sources.flatMap((feed) => {
    if (feed.believed) return [];
    const advice =
      feed.state === 'expired'
        ? 'start the feed monitor: until then no match is safe'
        : 'no match is safe by this source alone; docs/guides/feed-health.md has the causes';
    return [warning('feed', `${feed.source} is ${feedWords(feed)}`, advice)];
  });
  return orFine(findings, 'feed', `${sources.map(({ source }) => source).join(' and ')}: alive`);
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
const CERTIFICATE_WARNING_MS = 14 * DAY_MS;

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

type JudgedWebhook = Pick<WebhookRow, 'id' | 'clientId' | 'active' | 'isUnopened' | 'progress'>;

/** Webhooks with the same fault that are described; more of them are counted. */
const DESCRIBED = 2;

/** Judges the deliveries to the webhooks of clients. A disabled client receives nothing, as its operator wants. */
export function judgeWebhooks(webhooks: readonly JudgedWebhook[]): CheckResult[] {
  const faults = webhooks.map(faultOf).filter((fault) => fault !== null);
  const findings = [...Map.groupBy(faults, ([kind]) => kind)].flatMap(([kind, of]) => {
    const all = of.map(([, finding]) => finding);
    const [first] = all;
    if (first === undefined || all.length <= DESCRIBED) return all;
    const message = `${all.length - 1} more webhooks ${kind}`;
    return [first, { ...first, message, advice: 'npx touchline webhooks list' }];
  });
  const all = webhooks.length === 0 ? 'there are none' : `all ${webhooks.length} are delivered`;
  return orFine(findings, 'webhooks', all);
}

const RESEAL =
  'set CLIENTS_KEY_SECOND to the key that sealed it, and seal it again: docs/guides/runbooks/rotate-secrets.md';

/** Returns what is wrong with a webhook, after the words for several with the same; null where nothing is. */
function faultOf(webhook: JudgedWebhook): readonly [kind: string, finding: CheckResult] | null {
  const { id, clientId, active, isUnopened, progress } = webhook;
  if (!active) return null;
  const which = `webhook ${id} of client ${clientId}`;
  if (isUnopened) {
    const message = `${which} is sealed with another key than those of this environment: a dispatcher with these sends it nothing`;
    return ['are sealed with another key', failed('webhooks', message, RESEAL)];
  }
  if (progress === null) return null;
  const { disabled, attempts, failing_since, last_reason } = progress;
  const since = failing_since === null ? '' : ` since ${new Date(failing_since).toISOString()}`;
  const fault = certificateFault(last_reason ?? '');
  const refused = fault === undefined ? '' : `: the certificate of its receiver is refused, as ${fault}`;
  const outcome = lastText(progress) ?? 'unknown';
  const last = `ended as ${outcome}${refused}`;
  if (disabled !== null) {
    // An operator's order is no defect.
    const judge = disabled === 'operator' ? warning : failed;
    const message = `${which} is disabled (${disabled})${since}: it receives nothing; its last attempt ${last}`;
    const advice = `npx touchline webhooks enable ${id} sends what waits`;
    return [`are disabled (${disabled})`, judge('webhooks', message, advice)];
  }
  if (attempts === 0) return null;
  const message = `${which} fails${since}: ${attempts} attempts, the last ${last}`;
  const advice = 'npx touchline webhooks list shows when it is tried again';
  return [`fail (${outcome})`, warning('webhooks', message, advice)];
}
