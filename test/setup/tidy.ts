import { afterAll } from 'vitest';
import { endShared } from '../support/at-end.ts';
import { withKafkaAdmin } from '../support/kafkajs.ts';
import { takeConnections } from './backbone.ts';

/**
 * Timeout of the broker for deleting topics; below the client's own timeout. The default of 5 s is too short on a busy
 * machine.
 */
const TIMEOUT_MS = 25_000;

/**
 * Stops everything that the file has started, and deletes its topics: all files share the broker, which slows down with
 * every topic.
 */
afterAll(async () => {
  await endShared();
  const connections = takeConnections();
  const [first] = connections;
  if (first === undefined) return;
  await withKafkaAdmin(first.brokers, async (admin) => {
    const topics = (await admin.listTopics()).filter((topic) =>
      connections.some(({ prefix }) => topic.startsWith(prefix)),
    );
    if (topics.length > 0) await admin.deleteTopics({ topics, timeout: TIMEOUT_MS });
  });
});
