import { withTopicAdmin } from '#cluster/topic-admin.ts';
import { type Brokers, shownBrokers } from '#security/brokers.ts';
import { isProcessor, rightsOf, rightText, type ServiceName } from './acls.ts';
import { requiredTopics } from './admin.ts';
import { ServiceRightsError, TopicMismatchError } from './errors.ts';
import { PROCESSORS } from './processors.ts';
import { lostAdvice, lostText, lostTopics, readTopicIds } from './topic-ids.ts';
import { judgeTopic, mismatchText } from './topic-rule.ts';
import { type TopicName, topicName } from './topics.ts';

const TIMEOUT_MS = 3_000;

/**
 * Checks that the topics of a service are as they must be: with another cleanup policy, for example, a broker deletes its state; and
 * that those which it reads were not lost. Throws `TopicMismatchError` with every difference and the command that repairs it, and
 * `ServiceRightsError` when the settings may not be read. Ignores a broker that does not answer: the next check asks again.
 */
export async function requireSettings(brokers: Brokers, prefix: string, service: ServiceName): Promise<void> {
  const rights = rightsOf(prefix, service);
  const names = new Set(rights.flatMap(({ resource, name }) => (resource === 'Topic' ? [name] : [])));
  const answers = await Promise.all([
    withTopicAdmin(brokers, TIMEOUT_MS, (admin) => admin.describe([...names])),
    readTopicIds(brokers, prefix),
  ]).catch(() => null);
  if (answers === null) return;
  const [found, recorded] = answers;
  const describing = rights.find(({ operation }) => operation === 'DescribeConfigs');
  if (describing !== undefined && [...found.values()].some(({ settings }) => settings === null))
    throw new ServiceRightsError(
      'RIGHTS_MISSING',
      `the broker at ${shownBrokers(brokers)} does not grant ${service} ${rightText(describing)}; npx touchline acls --print prints the commands`,
    );
  const wrong = requiredTopics(prefix, found).flatMap((topic) => {
    const facts = found.get(topic.name);
    return facts === undefined ? [] : judgeTopic(topic, facts).filter(({ breaks }) => breaks);
  });
  const read = new Set(rights.flatMap(({ operation, name }) => (operation === 'Read' ? [name] : [])));
  const lost = lostTopics(prefix, recorded, found).filter(
    ({ topic }) => read.has(topicName(prefix, topic)) && !isInput(service, topic),
  );
  if (lost.length > 0)
    throw new TopicMismatchError([lostText(prefix, lost), lostAdvice(lost, 'topics')], 'TOPIC_LOST');
  if (wrong.length > 0) throw new TopicMismatchError([...wrong.map(mismatchText), MENDED_BY]);
}

/** Whether a topic is the input of a processor, whose positions know it. */
function isInput(service: ServiceName, topic: TopicName): boolean {
  return isProcessor(service) && PROCESSORS[service].input === topic;
}

const MENDED_BY =
  'run npx touchline topics, which repairs what has lost nothing and names the command for the rest';
