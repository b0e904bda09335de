import { createTopics } from '#topics/admin.ts';

await createTopics({ brokers: [process.env.KAFKA_BROKERS!], prefix: process.env.TOPIC_PREFIX! });
