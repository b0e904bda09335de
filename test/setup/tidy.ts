import { afterAll } from 'vitest';
import { endShared } from '../support/at-end.ts';
import { withKafkaAdmin } from '../support/kafkajs.ts';
import { takePlaces } from './backbone.ts';

/** For the broker; less than the client waits for its answer. By default it has 5 s, and too late counts as failed. */
const TIMEOUT_MS = 25_000;

/**
 * What a file has started ends with it. All files share the broker, and what it does costs more with every topic there
 * is: each file takes its own away.
 */
afterAll(async () => {
  await endShared();
  const places = takePlaces();
  const [first] = places;
  if (first === undefined) return;
  await withKafkaAdmin(first.brokers, async (admin) => {
    const topics = (await admin.listTopics()).filter((topic) =>
      places.some(({ prefix }) => topic.startsWith(prefix)),
    );
    if (topics.length > 0) await admin.deleteTopics({ topics, timeout: TIMEOUT_MS });
  });
});
