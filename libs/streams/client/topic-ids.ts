import type { Brokers } from './brokers.ts';
import { Connections } from './platformatic/connections.ts';
import { untilAnswered } from './platformatic/retries.ts';

/**
 * The id of each topic, by name, set by the cluster at its creation: a topic that was deleted and created again, or one
 * of another cluster, has another id. Throws `StreamError` where no broker answers, or a topic is missing.
 */
export async function topicIds(brokers: Brokers, topics: readonly string[]): Promise<Map<string, string>> {
  const connections = new Connections(brokers, 'touchline-reader');
  const ids = new Map<string, string>();
  try {
    for (const topic of topics)
      ids.set(topic, await untilAnswered(connections, `look at ${topic}`, () => connections.topicId(topic)));
    return ids;
  } finally {
    await connections.close();
  }
}
