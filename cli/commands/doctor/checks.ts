/** The checks of `touchline doctor`: each collects facts, which `rules.ts` judges. A check that throws is a failed check. */
import { withConnections } from '#cluster/access.ts';
import { findBrokerDefects } from '#cluster/broker-defects.ts';
import { type ClusterFacts, describeCluster } from '#cluster/describe.ts';
import { findRefusals } from '#cluster/refusals.ts';
import { reasonOf } from '#errors/touchline-error.ts';
import type { Environment } from '#service/config.ts';
import { redactor } from '#service/logger.ts';
import { requiredTopics, wantedTopics } from '#topics/admin.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { PROCESSOR_NAMES, PROCESSORS, streamTopics } from '#topics/processors.ts';
import { Registry } from '#topics/registry.ts';
import { probeRegistry } from '#topics/registry-http.ts';
import { findLostTopics, IDENTIFIED, topicIdsName } from '#topics/topic-ids.ts';
import { TOPIC_NAMES, topicName } from '#topics/topics.ts';
import { findCluster, type OpenCluster } from '../../cluster.ts';
import { findUnreadable, LAST_OFFSETS } from '../../unreadable.ts';
import { deriverOf } from '../rebuild/derived.ts';
import { WebhookTopics } from '../webhooks/topics.ts';
import {
  type CheckName,
  type CheckResult,
  failed,
  fine,
  judgeClock,
  judgeDisk,
  judgeLostVersions,
  judgeRecords,
  judgeWebhooks,
  LostVersions,
  warning,
  withOneCause,
} from './rules.ts';
import { judgeBrokers, judgeLost, judgeRefusals, judgeSchemas, judgeTopics } from './topic-rules.ts';

/** Timeout of a request to the registry. */
export const REQUEST_TIMEOUT_MS = 5_000;
const WEBHOOK_TOPICS = ['clients', 'webhook-progress'] as const;

/** Runs the checks of what seldom changes; beside them `onReachable`, once a broker answers. Never rejects. */
export async function runChecks(env: Environment, onReachable: () => Promise<void>): Promise<CheckResult[]> {
  const cluster = await guarded('settings', async () => findCluster(env));
  if (!('brokers' in cluster)) return [cluster];
  const facts = await guarded('broker', () => describeCluster(cluster.brokers, namesOf(cluster)));
  const found = await Promise.all([
    guarded('registry', () => registry(cluster)),
    ...('topics' in facts
      ? [
          topicsAndPositions(cluster, facts),
          guarded('versions', () => versions(cluster)),
          guarded('records', () => records(cluster)),
          // Another check names missing topics.
          ...(WEBHOOK_TOPICS.every((topic) => facts.topics.has(topicName(cluster.prefix, topic)))
            ? [guarded('webhooks', async () => judgeWebhooks(await new WebhookTopics(cluster).rows()))]
            : []),
          guarded('lag', () => onReachable().then(() => [])),
        ]
      : [facts]),
  ]);
  return [fine('settings', 'broker, registry and prefix are set'), ...withOneCause(found.flat())];
}

const namesOf = ({ prefix }: TopicCluster): string[] => wantedTopics({ prefix }).map(({ name }) => name);

/** Checks the topics, and whether the positions of the processors fit them. */
async function topicsAndPositions(cluster: TopicCluster, facts: ClusterFacts): Promise<CheckResult[]> {
  const { brokers, prefix } = cluster;
  const ofTopic = new Map(TOPIC_NAMES.map((topic) => [topicName(prefix, topic), topic]));
  const { lost: gone, marks } = await withConnections(brokers, 'touchline-doctor', (connections) =>
    findLostTopics(connections, prefix, facts.topics),
  );
  const named = new Set(gone.map(({ topic }) => topicName(prefix, topic)));
  const allLost = new Set<string>(named);
  const findings = await Promise.all(
    PROCESSOR_NAMES.map((processor) =>
      guarded('positions', async () => {
        const { lost, refused } = await findRefusals(brokers, streamTopics(prefix, processor));
        for (const name of lost) allLost.add(name);
        const derived = lost
          .filter((name) => !named.has(name))
          .map((name) => {
            const topic = ofTopic.get(name);
            // Without its positions topic a processor must process all input again.
            return { name, deriver: topic === undefined ? processor : deriverOf(topic) };
          });
        const isNamed = named.has(topicName(prefix, PROCESSORS[processor].input));
        const others = refused.filter(({ error }) => !isNamed || error.code !== 'INPUT_RECREATED');
        return judgeRefusals(processor, derived, others);
      }),
    ),
  );
  const unnamed = IDENTIFIED.filter(
    (topic) => !marks.has(topic) && facts.topics.has(topicName(prefix, topic)),
  );
  // Where no topic exists, their ids are not lost.
  if (unnamed.length > 0) allLost.add(topicIdsName(prefix));
  return [
    ...judgeLost(prefix, gone, { unnamed, isRecorded: marks.size > 0 }),
    ...brokerChecks(cluster, facts, allLost),
    ...findings.flat(),
  ];
}

function brokerChecks(cluster: TopicCluster, facts: ClusterFacts, lost: ReadonlySet<string>): CheckResult[] {
  return [
    judgeBrokers(facts),
    ...judgeTopics(requiredTopics(cluster.prefix, facts.topics, facts.brokers.length), facts.topics, lost),
    ...facts.disks.map(({ broker, freeBytes, totalBytes }) => judgeDisk(broker, freeBytes, totalBytes)),
  ];
}

async function versions({ brokers }: TopicCluster): Promise<CheckResult[]> {
  const defects = await findBrokerDefects(brokers);
  if (defects.length === 0)
    return [fine('versions', `no broker has a known defect; node ${process.versions.node}`)];
  return defects.map(({ code, brokers: affected }) =>
    warning(
      'versions',
      `${affected.join(', ')}: ${code}, transactions may stay undecided when a broker restarts`,
      'run Kafka 4.2, or see docs/known-issues.md',
    ),
  );
}

/** Checks the registry's answer, clock and schemas. */
async function registry({ registryUrl: url, prefix }: TopicCluster): Promise<CheckResult[]> {
  const before = Date.now();
  const theirs = await probeRegistry(url, REQUEST_TIMEOUT_MS);
  const clock =
    theirs === null
      ? fine('clock', 'not compared: the registry sends no Date')
      : judgeClock('the registry', { before, theirs, after: Date.now() });
  const opened = Registry.open({ url, prefix, waitMs: REQUEST_TIMEOUT_MS });
  const states = await Promise.all(
    TOPIC_NAMES.map(async (topic) => [opened.subject(topic), await opened.schemaState(topic)] as const),
  );
  return [clock, fine('registry', 'answers'), ...judgeSchemas(new Map(states))];
}

/** Checks the last records of all topics. */
async function records(cluster: OpenCluster): Promise<CheckResult[]> {
  const lost = new LostVersions();
  const unreadable = await findUnreadable(cluster, (record) => lost.add(record));
  return [...judgeRecords(unreadable, LAST_OFFSETS), ...judgeLostVersions(lost.found())];
}

const ADVICE: Partial<Record<CheckName, string>> = {
  settings: 'the help of a service lists its settings',
  broker: 'are KAFKA_BROKERS and KAFKA_TLS right, the broker up, and reachable from here?',
  registry: 'is SCHEMA_REGISTRY_URL right (http or https), the registry up, and reachable from here?',
};

/** Returns the result of a check, or a failed check when it throws. */
export async function guarded<T>(check: CheckName, work: () => Promise<T>): Promise<T | CheckResult> {
  try {
    return await work();
  } catch (error) {
    const needsTls = error instanceof Error && 'code' in error && error.code === 'TLS_REQUIRED';
    if (needsTls) return failed(check, textOf(error), 'set KAFKA_TLS=on: docs/guides/secure-it.md');
    return failed(check, textOf(error), ADVICE[check] ?? 'docs/reference/errors.md has every error');
  }
}

/** Returns the message of an error without secrets. */
function textOf(error: unknown): string {
  return redactor([])(reasonOf(error));
}
