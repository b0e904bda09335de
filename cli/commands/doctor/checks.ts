/** The checks of `touchline doctor`: each collects facts, which the rules beside it judge. A check that throws is a failed check. */

import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { withConnections } from '#cluster/access.ts';
import { findBrokerDefects } from '#cluster/broker-defects.ts';
import { type ClusterFacts, describeCluster } from '#cluster/describe.ts';
import { findRefusals } from '#cluster/refusals.ts';
import { tokenUrl } from '#contract/rest/client.ts';
import { reasonOf } from '#errors/touchline-error.ts';
import { dataSettings, type Environment, httpUrl, loadConfig, secret } from '#service/config.ts';
import { httpGet } from '#service/http-get.ts';
import { redactor } from '#service/logger.ts';
import { certificateFiles, validityOf } from '#service/server-tls.ts';
import { requiredTopics, wantedTopics } from '#topics/admin.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { PROCESSOR_NAMES, PROCESSORS, type ProcessorName, streamTopics } from '#topics/processors.ts';
import { probeRegistry } from '#topics/registry-http.ts';
import { findLostTopics, IDENTIFIED, topicIdsName } from '#topics/topic-ids.ts';
import { TOPIC_NAMES, topicName } from '#topics/topics.ts';
import { findCluster, type OpenCluster, openCluster, withBackbone } from '../../cluster.ts';
import { findUnreadable, LAST_OFFSETS } from '../../followed-topics.ts';
import { serviceConfig } from '../../services.ts';
import { deriverOf } from '../rebuild/losses.ts';
import { webhookTopics } from '../webhooks/topics.ts';
import { type CheckResult, failed, fine, warning } from './finding.ts';
import { judgeCertificate, judgeClock, judgeDisk, judgeProvider } from './machine-rules.ts';
import { judgeRecords, judgeWebhooks, lostVersions, withOneCause } from './message-rules.ts';
import {
  judgeBrokers,
  judgeLost,
  judgeRefusals,
  judgeRights,
  judgeSchemas,
  judgeTopics,
} from './topic-rules.ts';

/** Timeout of a request to the registry or the provider. */
export const REQUEST_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const WEBHOOK_TOPICS = ['clients', 'webhook-progress'] as const;

/**
 * Runs the checks of what seldom changes, and of the settings of `services`; beside them `onReachable`, once a broker answers. Never
 * rejects.
 */
export async function runChecks(
  env: Environment,
  services: readonly string[],
  onReachable: () => Promise<void>,
): Promise<CheckResult[]> {
  const cluster = await guarded('settings', async () => findCluster(env));
  const checks: Promise<CheckResult | CheckResult[]>[] = [
    ...services.map((name) => guarded('settings', () => settingsOf(name, env))),
    guarded('disk', () => localDisks(env)),
    guarded('tls', async () =>
      certificateFiles(env).map((file) => judgeCertificate(file.setting, validityOf(file), Date.now())),
    ),
    guarded('provider', () => provider(env)),
  ];
  if (!('brokers' in cluster)) return [cluster, ...(await Promise.all(checks)).flat()];
  const names = wantedTopics(cluster).map(({ name }) => name);
  const facts = await guarded('broker', () => describeCluster(cluster.brokers, names));
  checks.push(guarded('registry', () => registry(cluster)));
  if ('topics' in facts) {
    checks.push(
      topicsAndPositions(cluster, facts),
      guarded('versions', () => versions(cluster)),
      guarded('records', () => records(cluster)),
      guarded('lag', () => onReachable().then(() => [])),
    );
    // Another check names missing topics.
    if (WEBHOOK_TOPICS.every((topic) => facts.topics.has(topicName(cluster.prefix, topic))))
      checks.push(guarded('webhooks', async () => judgeWebhooks(await webhookTopics(cluster).rows())));
  } else checks.push(Promise.resolve(facts));
  const found = (await Promise.all(checks)).flat();
  return [fine('settings', 'broker, registry and prefix are set'), ...withOneCause(found)];
}

async function settingsOf(service: string, env: Environment): Promise<CheckResult> {
  const config = await serviceConfig(service);
  try {
    // With the broker and registry that a service started here would use.
    loadConfig(config, withBackbone(env));
    return fine('settings', `those of ${service} are complete`);
  } catch (error) {
    return failed('settings', `${service}: ${textOf(error)}`, `npx touchline ${service} --help shows them`);
  }
}

async function topicsAndPositions(cluster: TopicCluster, facts: ClusterFacts): Promise<CheckResult[]> {
  const { brokers, prefix } = cluster;
  const { lost: gone, marks } = await withConnections(brokers, 'touchline-doctor', (connections) =>
    findLostTopics(connections, prefix, facts.topics),
  );
  const named = new Set(gone.map(({ topic }) => topicName(prefix, topic)));
  const allLost = new Set<string>(named);
  const positions = async (processor: ProcessorName): Promise<CheckResult[]> => {
    const { lost, refused } = await findRefusals(brokers, streamTopics(prefix, processor));
    for (const name of lost) allLost.add(name);
    const derived = lost
      .filter((name) => !named.has(name))
      .map((name) => {
        const topic = TOPIC_NAMES.find((one) => topicName(prefix, one) === name);
        // Without its positions topic a processor must process all input again.
        return { name, deriver: topic === undefined ? processor : deriverOf(topic) };
      });
    const isNamed = named.has(topicName(prefix, PROCESSORS[processor].input));
    const others = refused.filter(({ error }) => !isNamed || error.code !== 'INPUT_RECREATED');
    return judgeRefusals(processor, derived, others);
  };
  const findings = await Promise.all(
    PROCESSOR_NAMES.map((processor) => guarded('positions', () => positions(processor))),
  );
  const unnamed = IDENTIFIED.filter(
    (topic) => !marks.has(topic) && facts.topics.has(topicName(prefix, topic)),
  );
  // Where no topic exists, their ids are not lost.
  if (unnamed.length > 0) allLost.add(topicIdsName(prefix));
  return [
    ...judgeLost(prefix, gone, { unnamed, isRecorded: marks.size > 0 }),
    judgeBrokers(facts),
    ...judgeTopics(requiredTopics(prefix, facts.topics, facts.brokers.length), facts.topics, allLost),
    ...judgeRights(facts.topics),
    ...facts.disks.map(({ broker, freeBytes, totalBytes }) =>
      judgeDisk(`log of broker ${broker}`, freeBytes, totalBytes),
    ),
    ...findings.flat(),
  ];
}

async function versions({ brokers }: TopicCluster): Promise<CheckResult[]> {
  const defects = await findBrokerDefects(brokers);
  if (defects.length === 0)
    return [fine('versions', `no broker has a known defect; node ${process.versions.node}`)];
  return defects.map(({ code, brokers: affected }) => {
    const text = `${affected.join(', ')}: ${code}, transactions may stay undecided when a broker restarts`;
    return warning('versions', text, 'run Kafka 4.2, or see docs/known-issues.md');
  });
}

async function registry(cluster: TopicCluster): Promise<CheckResult[]> {
  const before = Date.now();
  const theirs = await probeRegistry(cluster.registryUrl, REQUEST_TIMEOUT_MS);
  const clock =
    theirs === null
      ? fine('clock', 'not compared: the registry sends no Date')
      : judgeClock('the registry', { before, theirs, after: Date.now() });
  const { registry: opened } = openCluster(cluster, REQUEST_TIMEOUT_MS);
  const states = await Promise.all(
    TOPIC_NAMES.map(async (topic) => [opened.subject(topic), await opened.schemaState(topic)] as const),
  );
  return [clock, fine('registry', 'answers'), ...judgeSchemas(new Map(states))];
}

async function records(cluster: OpenCluster): Promise<CheckResult[]> {
  const lost = lostVersions();
  const unreadable = await findUnreadable(cluster, (record) => lost.add(record));
  return [...judgeRecords(unreadable, LAST_OFFSETS), ...lost.judge()];
}

async function localDisks(env: Environment): Promise<CheckResult[]> {
  const { DATA_DIR } = loadConfig(z.object(dataSettings), env);
  // A missing data folder is created in the working directory.
  const data = existsSync(DATA_DIR) ? resolve(DATA_DIR) : process.cwd();
  return Promise.all(
    [...new Set([data, tmpdir()])].map(async (folder) => {
      const { bavail, blocks, bsize } = await statfs(folder);
      return judgeDisk(folder, bavail * bsize, blocks * bsize);
    }),
  );
}

/** The settings of one request. The check of the service feed-poller covers all of its settings. */
const providerSettings = z.object({
  PROVIDER_BASE_URL: httpUrl().optional(),
  PROVIDER_CLIENT_ID: z.string().default(''),
  PROVIDER_SECRET_KEY: secret(z.string().default('')),
});

async function provider(env: Environment): Promise<CheckResult[]> {
  const settings = loadConfig(providerSettings, env);
  const { PROVIDER_BASE_URL: base, PROVIDER_CLIENT_ID: id, PROVIDER_SECRET_KEY: key } = settings;
  if (base === undefined) return [];
  const limits = { timeoutMs: REQUEST_TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES };
  const asked = httpGet(tokenUrl(base, id, key), limits, new AbortController().signal);
  const answer = await asked.catch(() => null);
  return [judgeProvider(answer?.status ?? null)];
}

const ADVICE: Readonly<Record<string, string>> = {
  settings: 'the help of a service lists its settings',
  broker:
    'is KAFKA_BROKERS right, the broker up, and reachable from here? KAFKA_TLS=on needs the port of a TLS listener, which refuses all else',
  registry: 'is SCHEMA_REGISTRY_URL right, the registry up, and reachable from here?',
};

/** Returns the result of a check, or a failed check when it throws. */
export async function guarded<T>(check: string, work: () => Promise<T>): Promise<T | CheckResult> {
  try {
    return await work();
  } catch (error) {
    return failed(check, textOf(error), ADVICE[check] ?? 'docs/reference/errors.md has every error');
  }
}

function textOf(error: unknown): string {
  return redactor([])(reasonOf(error));
}
