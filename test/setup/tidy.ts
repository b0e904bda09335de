import { afterAll } from 'vitest';
import { createKafka } from '#streams/kafkajs/kafka.ts';
import { quietLog } from '../support/log.ts';
import { takePlaces } from './backbone.ts';

/** All files share the broker, and what it does costs more with every topic there is: each file takes its own away. */
afterAll(async () => {
  const places = takePlaces();
  const [first] = places;
  if (first === undefined) return;
  const admin = createKafka({ brokers: first.brokers, clientId: 'test-tidy', log: quietLog }).admin();
  await admin.connect();
  try {
    const topics = (await admin.listTopics()).filter((topic) =>
      places.some(({ prefix }) => topic.startsWith(prefix)),
    );
    if (topics.length > 0) await admin.deleteTopics({ topics });
  } finally {
    await admin.disconnect();
  }
});
