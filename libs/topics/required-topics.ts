/** What a service requires of its topics on the broker: rights, settings, and that none was lost. */
import { BrokerConnections } from '#cluster/access.ts';
import { findMissingRights, type MissingRights } from '#cluster/describe.ts';
import { adminOver } from '#cluster/topic-admin.ts';
import { reasonOf } from '#errors/touchline-error.ts';
import { type Brokers, shownBrokers } from '#security/brokers.ts';
import type { Logger } from '#streams/log.ts';
import { poll } from '#timing/poll.ts';
import { isProcessor, type Right, rightsOf, rightText, type ServiceName, sourcesOf } from './acls.ts';
import { requiredTopics } from './admin.ts';
import { ServiceRightsError, TopicMismatchError } from './errors.ts';
import { findLostTopics, topicsLost } from './topic-ids.ts';
import { judgeTopic, mismatchText } from './topic-rule.ts';
import type { TopicName } from './topics.ts';

/** Timeout for missing topics: not every broker knows a new topic at once. */
const APPEAR_MS = 5_000;

/** Throws one `ServiceRightsError` that names every missing right or topic. Ignores a broker that does not answer. */
export async function requireRights(brokers: Brokers, prefix: string, service: ServiceName): Promise<void> {
  // `requireSettings` shows whether settings may be read.
  const needed = rightsOf(prefix, service).filter(
    (right): right is Right & { operation: 'Read' | 'Write' } => right.operation !== 'DescribeConfigs',
  );
  let lacks: MissingRights<Right> = { rights: [], topics: [] };
  const settled = async (): Promise<boolean> => {
    lacks = await findMissingRights(brokers, needed);
    return lacks.topics.length === 0 || lacks.rights.length > 0;
  };
  try {
    await poll(settled, { timeoutMs: APPEAR_MS });
  } catch {
    return;
  }
  const { rights, topics } = lacks;
  if (rights.length > 0)
    throw new ServiceRightsError(
      'RIGHTS_MISSING',
      `the broker at ${shownBrokers(brokers)} does not grant ${service} ${rights.map(rightText).join(', ')}; npx touchline acls --print prints the commands`,
    );
  if (topics.length > 0)
    throw new ServiceRightsError(
      'TOPICS_MISSING',
      `the broker at ${shownBrokers(brokers)} does not have ${topics.join(', ')}; run npx touchline topics, which creates them unless they were lost, or create them with the commands that npx touchline topics --print prints`,
    );
}

const TIMEOUT_MS = 3_000;
/** Interval between checks of the topics of a running service. */
const WATCH_EVERY_MS = 60_000;

/** Topics whose loss stops no service: their writers publish all of it again within seconds. */
const RENEWED: ReadonlySet<TopicName> = new Set(['feed-health', 'ingress-status']);
/** Topics whose loss does not stop the service that fills them again when it starts. */
const REFILLED: Readonly<Partial<Record<ServiceName, readonly TopicName[]>>> = {
  'feed-poller': ['catalogue', 'poller-checkpoints'],
};

/**
 * Requires the topics of these services as `requireSettings` does, and again every minute: logs an error once for each change.
 * The services continue, as refused input would be lost as well. Processors check theirs at each claim.
 */
export async function watchTopics(
  services: readonly ServiceName[],
  { brokers, prefix }: { readonly brokers: Brokers; readonly prefix: string },
  {
    logger,
    signal,
    everyMs = WATCH_EVERY_MS,
  }: { readonly logger: Pick<Logger, 'error'>; readonly signal: AbortSignal; readonly everyMs?: number },
): Promise<void> {
  const connections = new BrokerConnections(brokers, 'touchline-topics');
  signal.addEventListener('abort', () => void connections.close());
  for (const service of services) await requireSettings(connections, prefix, service);
  const last = new Map<string, string>();
  const check = async (): Promise<void> => {
    for (const service of services.filter((one) => !isProcessor(one))) {
      const error: unknown = await requireSettings(connections, prefix, service).catch(
        (cause: unknown) => cause,
      );
      const text = error === undefined ? '' : reasonOf(error);
      if (text !== '' && last.get(service) !== text && !signal.aborted) logger.error({ err: error }, text);
      last.set(service, text);
    }
  };
  const timer = setInterval(() => void check(), everyMs);
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer));
}

/** Checks that a service's topics were neither changed nor lost. Throws `TopicMismatchError`, `ServiceRightsError`; not without an answer. */
export async function requireSettings(
  connections: BrokerConnections,
  prefix: string,
  service: ServiceName,
): Promise<void> {
  const rights = rightsOf(prefix, service);
  const names = new Set(rights.flatMap(({ resource, name }) => (resource === 'Topic' ? [name] : [])));
  const needs = (topic: TopicName): boolean =>
    sourcesOf(service).includes(topic) && !RENEWED.has(topic) && REFILLED[service]?.includes(topic) !== true;
  // Of an earlier check: topics may have other leaders, and other ids.
  connections.forget();
  const look = async () => {
    const admin = adminOver(connections, TIMEOUT_MS);
    const [found, brokers] = [await admin.describe([...names]), await admin.brokerCount()];
    return { found, brokers, ...(await findLostTopics(connections, prefix, found, needs)) };
  };
  const answer = await look().catch(() => null);
  if (answer === null) return;
  const { found, brokers, lost } = answer;
  const describing = rights.find(({ operation }) => operation === 'DescribeConfigs');
  if (describing !== undefined && [...found.values()].some(({ settings }) => settings === null))
    throw new ServiceRightsError(
      'RIGHTS_MISSING',
      `the brokers do not grant ${service} ${rightText(describing)}; npx touchline acls --print prints the commands`,
    );
  const wrong = requiredTopics(prefix, found, brokers).flatMap((topic) => {
    const facts = found.get(topic.name);
    return facts === undefined ? [] : judgeTopic(topic, facts).filter(({ breaks }) => breaks);
  });
  if (lost.length > 0) throw topicsLost(prefix, lost, 'topics');
  if (wrong.length > 0) throw new TopicMismatchError([...wrong.map(mismatchText), MENDED_BY]);
}

const MENDED_BY =
  'run npx touchline topics, which repairs what has lost nothing and names the command for the rest';
