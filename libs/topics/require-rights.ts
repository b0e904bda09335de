import { findMissingRights, type MissingRights } from '#cluster/rights.ts';
import { type Brokers, shownBrokers } from '#security/brokers.ts';
import { poll } from '#timing/poll.ts';
import { type Right, rightsOf, rightText, type ServiceName } from './acls.ts';
import { ServiceRightsError } from './errors.ts';

/** Timeout for missing topics: not every broker knows a new topic at once. */
const APPEAR_MS = 5_000;

/**
 * Checks that the broker grants a service its rights and has its topics. Throws one `ServiceRightsError` that names every
 * missing right or topic. Ignores a broker that does not answer: the first use retries.
 */
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
