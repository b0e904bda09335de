import { afterAll } from 'vitest';
import { withAdmin } from '../support/admin.ts';
import { endShared } from '../support/at-end.ts';
import { takeConnections } from './backbone.ts';

/**
 * Stops everything that the file has started, and deletes its topics: all files share the broker, which slows down with
 * every topic.
 */
afterAll(async () => {
  await endShared();
  const connections = takeConnections();
  const [first] = connections;
  if (first === undefined) return;
  await withAdmin(first.brokers, async (admin) => {
    const topics = (await admin.listTopics()).filter((topic) =>
      connections.some(({ prefix }) => topic.startsWith(prefix)),
    );
    if (topics.length > 0) await admin.deleteTopics({ topics });
  });
});
