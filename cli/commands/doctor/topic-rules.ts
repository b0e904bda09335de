/** Judges topics, positions and rights for `touchline doctor`. Pure. */
import type { ClusterFacts, TopicFacts } from '#cluster/describe.ts';
import { type PartitionProgress, totalLag } from '#cluster/logs.ts';
import type { Refusals } from '#cluster/refusals.ts';
import { rebuildCommand } from '#streams/runtime/positions.ts';
import type { SchemaState } from '#topics/registry.ts';
import { type LostTopic, lostAdvice, lostText, topicIdsName } from '#topics/topic-ids.ts';
import { judgeTopic, mismatchText, type WantedTopic } from '#topics/topic-rule.ts';
import type { TopicName } from '#topics/topics.ts';
import { deriverOf } from '../rebuild/losses.ts';
import { type CheckResult, failed, fine, orFine, warning } from './finding.ts';

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

/** Judges whether the advertised brokers can be reached from here, and describe their disks. */
export function judgeBrokers(facts: Pick<ClusterFacts, 'brokers' | 'unreachable'>): CheckResult {
  const { brokers, unreachable } = facts;
  if (unreachable.length === 0) return fine('broker', `${brokers.length} answer: ${brokers.join(', ')}`);
  const text = `${unreachable.join(', ')} of ${brokers.length} brokers cannot be reached from here, or have a failed disk`;
  const advice =
    'start them, replace the disk, or correct advertised.listeners: clients connect to these addresses';
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
    const { why, repair } = of[0]?.error ?? {};
    const page = 'docs/guides/operate.md, "Refused partitions"';
    return failed(
      'positions',
      `${processor} refuses partitions ${partitions.join(', ')} (${code}): ${why}`,
      repair ? `${repair(partitions.join(','))}; offsets differ between partitions: ${page}` : page,
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
