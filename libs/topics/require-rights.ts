import { type Lacks, lacksOf } from '#cluster/rights.ts';
import { type Brokers, shownBrokers } from '#security/brokers.ts';
import { poll } from '#timing/poll.ts';
import { type Right, rightsOf, rightText, type ServiceName } from './acls.ts';
import { ServiceRightsError } from './errors.ts';

/** Not every broker knows a topic that was created a moment ago. */
const APPEAR_MS = 5_000;

/**
 * Checks that the broker grants a service its rights, and has its topics. Throws one `ServiceRightsError` that names all
 * that is missing. What does not answer is for the first use to wait for.
 */
export async function requireRights(brokers: Brokers, prefix: string, service: ServiceName): Promise<void> {
  const needed = rightsOf(prefix, service);
  let lacks: Lacks<Right> = { rights: [], topics: [] };
  const settled = async (): Promise<boolean> => {
    lacks = await lacksOf(brokers, needed);
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
      `the broker at ${shownBrokers(brokers)} does not grant ${service} ${rights.map(rightText).join(', ')}; npx touchline acls --print has the commands`,
    );
  if (topics.length > 0)
    throw new ServiceRightsError(
      'TOPICS_MISSING',
      `the broker at ${shownBrokers(brokers)} does not have ${topics.join(', ')}; create them with npx touchline topics, or by the commands of npx touchline topics --print`,
    );
}
