/** The checks of `touchline doctor`: each asks, and has `rules.ts` judge the answer. A check that throws is a finding of its own. */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { dataSettings, type Environment, loadConfig } from '#service/config.ts';
import { httpGet } from '#service/http-get.ts';
import { redactor } from '#service/logger.ts';
import { findBrokerDefects } from '#streams/client/platformatic/broker-defects.ts';
import { type ClusterFacts, describeCluster } from '#streams/client/platformatic/cluster.ts';
import { wantedTopics as tableOf, topicSettings } from '#topics/admin.ts';
import { PROCESSOR_NAMES } from '#topics/processors.ts';
import { Registry } from '#topics/registry.ts';
import { registryTime } from '#topics/registry-http.ts';
import { TOPIC_NAMES, topicName } from '#topics/topics.ts';
import { findPlace, type Place } from '../../place.ts';
import { processorProgress } from '../../progress.ts';
import { serviceConfig } from '../../service-config.ts';
import {
  type CheckName,
  type Finding,
  failed,
  fine,
  judgeBrokers,
  judgeClock,
  judgeDisk,
  judgeLag,
  judgeProvider,
  judgeRights,
  judgeSchemas,
  judgeTopics,
  type WantedTopic,
} from './rules.ts';

/** Longest wait for a registry or a provider, milliseconds. */
const ANSWER_MS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Settings of topics without which nothing works; others are the operator's. */
const NEEDED_SETTINGS = ['cleanup.policy', 'max.message.bytes'];

/** Runs all checks, with the settings of these services too. Never rejects. */
export async function runChecks(env: Environment, services: readonly string[]): Promise<Finding[]> {
  const place = await placeOf(env);
  const alone = [
    ...services.map((name) => guarded('settings', () => settingsOf(name, env))),
    guarded('disk', () => localDisks(env)),
    guarded('provider', () => provider(env)),
  ];
  if (!('KAFKA_BROKERS' in place)) return [place, ...(await Promise.all(alone)).flat()];
  const cluster = await guarded('broker', () => describeCluster(place.KAFKA_BROKERS, namesOf(place)));
  const found = await Promise.all([
    ...alone,
    guarded('registry', () => schemas(place)),
    guarded('clock', () => clock(place)),
    ...('topics' in cluster
      ? [brokerChecks(place, cluster), guarded('versions', () => versions(place)), lag(place)]
      : [[cluster].flat()]),
  ]);
  return [fine('settings', 'broker, registry and prefix are set'), ...found.flat()];
}

async function placeOf(env: Environment): Promise<Place | Finding> {
  try {
    return findPlace(env);
  } catch (error) {
    return failed('settings', textOf(error), 'docs/reference/settings.md has every setting');
  }
}

async function settingsOf(service: string, env: Environment): Promise<Finding> {
  const config = await serviceConfig(service);
  try {
    loadConfig(config, env);
    return fine('settings', `those of ${service} are complete`);
  } catch (error) {
    return failed('settings', `${service}: ${textOf(error)}`, `npx touchline ${service} --help shows them`);
  }
}

/** The topics as this release wants them; of those of a match with the number of partitions that match-state has. */
function wanted({ TOPIC_PREFIX: prefix }: Place, partitions?: number): WantedTopic[] {
  return tableOf({ prefix, ...(partitions === undefined ? {} : { partitions }) }).map((topic) => ({
    name: topic.name,
    partitions: topic.partitions,
    settings: Object.fromEntries(
      Object.entries(topicSettings(topic.spec)).filter(([setting]) => NEEDED_SETTINGS.includes(setting)),
    ),
  }));
}

const namesOf = (place: Place): string[] => wanted(place).map(({ name }) => name);

function brokerChecks(place: Place, cluster: ClusterFacts): Finding[] {
  const partitions = cluster.topics.get(topicName(place.TOPIC_PREFIX, 'match-state'))?.partitions;
  return [
    judgeBrokers(cluster),
    ...judgeTopics(wanted(place, partitions), cluster.topics),
    ...judgeRights(cluster.topics),
    ...cluster.disks.map(({ broker, freeBytes, totalBytes }) =>
      judgeDisk(`log of broker ${broker}`, freeBytes, totalBytes),
    ),
  ];
}

async function versions({ KAFKA_BROKERS: brokers }: Place): Promise<Finding[]> {
  const defects = await findBrokerDefects(brokers);
  if (defects.length === 0)
    return [fine('versions', `no broker has a known defect; node ${process.versions.node}`)];
  return defects.map(({ code, brokers: affected }) => ({
    check: 'versions',
    status: 'warning',
    message: `${affected.join(', ')}: ${code}, transactions may stay undecided when a broker restarts`,
    advice: 'run Kafka 4.2, or see docs/known-issues.md',
  }));
}

async function schemas({ SCHEMA_REGISTRY_URL: url, TOPIC_PREFIX: prefix }: Place): Promise<Finding[]> {
  const registry = Registry.open({ url, prefix, waitMs: ANSWER_MS });
  const states = await Promise.all(
    TOPIC_NAMES.map(async (topic) => [registry.subject(topic), await registry.schemaState(topic)] as const),
  );
  return [fine('registry', 'answers'), ...judgeSchemas(new Map(states))];
}

async function lag(place: Place): Promise<Finding[]> {
  const processors = PROCESSOR_NAMES.map((processor) =>
    guarded('lag', async () => {
      const progress = await processorProgress(place, processor);
      return progress === null ? [] : judgeLag(processor, progress.partitions, progress.members);
    }),
  );
  return (await Promise.all(processors)).flat();
}

/** By the Date of the registry's answer, which its machine makes. */
async function clock({ SCHEMA_REGISTRY_URL: address }: Place): Promise<Finding> {
  const before = Date.now();
  const theirs = await registryTime(address, ANSWER_MS);
  if (theirs === null) return fine('clock', 'not compared: the registry sends no Date');
  return judgeClock('the registry', { before, theirs, after: Date.now() });
}

/** Views, and what processors spill. */
async function localDisks(env: Environment): Promise<Finding[]> {
  const { DATA_DIR } = loadConfig(z.object(dataSettings), env);
  // A folder that is not there yet is made in this one.
  const data = existsSync(DATA_DIR) ? resolve(DATA_DIR) : process.cwd();
  return Promise.all(
    [...new Set([data, tmpdir()])].map(async (folder) => {
      const { bavail, blocks, bsize } = await statfs(folder);
      return judgeDisk(folder, bavail * bsize, blocks * bsize);
    }),
  );
}

async function provider(env: Environment): Promise<Finding[]> {
  const { PROVIDER_BASE_URL: base, PROVIDER_CLIENT_ID: id, PROVIDER_SECRET_KEY: secret } = env;
  if (!base) return [];
  const query = new URLSearchParams({ client_id: id ?? '', secret_key: secret ?? '' });
  const limits = { timeoutMs: ANSWER_MS, maxBytes: MAX_ANSWER_BYTES };
  const url = `${base.replace(/\/+$/, '')}/v2/oauth?${query}`;
  const reply = await httpGet(url, limits, new AbortController().signal).catch(() => null);
  return [judgeProvider(reply?.status ?? null)];
}

const ADVICE: Partial<Record<CheckName, string>> = {
  broker: 'is KAFKA_BROKERS right, the broker up, and reachable from here?',
  registry: 'is SCHEMA_REGISTRY_URL right, the registry up, and reachable from here?',
  clock: 'is SCHEMA_REGISTRY_URL right, the registry up, and reachable from here?',
};

/** The answer of a check; a finding where it throws. */
async function guarded<T>(check: CheckName, work: () => Promise<T>): Promise<T | Finding> {
  try {
    return await work();
  } catch (error) {
    return failed(check, textOf(error), ADVICE[check] ?? 'docs/reference/errors.md has every error');
  }
}

/** Secrets in addresses do not belong on a screen. */
function textOf(error: unknown): string {
  return redactor([])(error instanceof Error ? error.message : String(error));
}
