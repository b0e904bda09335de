import { Admin } from '@platformatic/kafka';
import { toStreamError } from './platformatic/errors.ts';

const CONNECT_MS = 3_000;

/**
 * The id that the cluster gave each topic when it was made, by name: a topic that was deleted and made again, or one of
 * another cluster, has another. Throws `StreamError` where no broker answers, or a topic is missing.
 */
export async function topicIds(
  brokers: readonly string[],
  topics: readonly string[],
): Promise<Map<string, string>> {
  const admin = new Admin({
    clientId: 'touchline-reader',
    bootstrapBrokers: [...brokers],
    connectTimeout: CONNECT_MS,
  });
  try {
    const { topics: found } = await admin.metadata({ topics: [...topics] });
    return new Map(topics.map((topic) => [topic, found.get(topic)?.id ?? '']));
  } catch (error) {
    throw toStreamError('look at topics', error);
  } finally {
    await admin.close().catch(() => {});
  }
}
