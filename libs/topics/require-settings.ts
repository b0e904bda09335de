import { withTopicAdmin } from '#cluster/topic-admin.ts';
import { type Brokers, shownBrokers } from '#security/brokers.ts';
import { rightsOf, rightText, type ServiceName } from './acls.ts';
import { requiredTopics } from './admin.ts';
import { ServiceRightsError, TopicMismatchError } from './errors.ts';
import { judgeTopic, mismatchText } from './topic-rule.ts';

const TIMEOUT_MS = 3_000;

/**
 * Checks that the topics of a service are as they must be: with another cleanup policy, for example, a broker deletes its state. Throws
 * `TopicMismatchError` with every difference and the command that repairs it, and `ServiceRightsError` when the settings may not be
 * read. Ignores a broker that does not answer: the next check asks again.
 */
export async function requireSettings(brokers: Brokers, prefix: string, service: ServiceName): Promise<void> {
  const rights = rightsOf(prefix, service);
  const names = new Set(rights.flatMap(({ resource, name }) => (resource === 'Topic' ? [name] : [])));
  const found = await withTopicAdmin(brokers, TIMEOUT_MS, (admin) => admin.describe([...names])).catch(
    () => null,
  );
  if (found === null) return;
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
  if (wrong.length > 0) throw new TopicMismatchError([...wrong.map(mismatchText), MENDED_BY]);
}

const MENDED_BY =
  'run npx touchline topics, which repairs what has lost nothing and names the command for the rest';
