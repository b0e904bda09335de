/** Judges brokers, topics, rights, schemas and positions for `touchline doctor`. Pure. */
import type { ClusterFacts, TopicFacts } from '#cluster/describe.ts';
import type { Refusals } from '#cluster/refusals.ts';
import { rebuildCommand } from '#streams/runtime/positions.ts';
import type { SchemaState } from '#topics/registry.ts';
import { type LostTopic, lostAdvice, lostText, topicIdsName } from '#topics/topic-ids.ts';
import { judgeTopic, mismatchText, type TopicMismatch, type WantedTopic } from '#topics/topic-rule.ts';
import type { TopicName } from '#topics/topics.ts';
import { deriverOf } from '../rebuild/derived.ts';
import { type CheckResult, failed, fine, warning } from './rules.ts';

const MAKE_TOPICS = 'run npx touchline topics';

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
    const texts = [...Map.groupBy(of, ({ found, wanted }) => `${found} ${wanted}`).values()].map((same) => {
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
export function judgeBrokers(facts: Pick<ClusterFacts, 'brokers' | 'unreachable'>): CheckResult {
  const { brokers, unreachable } = facts;
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
  const findings = [...ofLost, ...ofRefused];
  return findings.length > 0
    ? findings
    : [fine('positions', `${processor}: its logs are those of its positions`)];
}
