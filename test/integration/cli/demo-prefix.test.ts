import { expect, test } from 'vitest';
import { createTopics } from '#topics/admin.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import type { TopicName } from '#topics/topics.ts';
import { isInUse } from '../../../cli/commands/demo/check.ts';
import { backbone } from '../../setup/backbone.ts';
import { publishValues } from '../../support/publish-values.ts';

test.each<TopicName>(['raw-messages', 'normalized-messages', 'match-state', 'clients'])(
  'a demonstration does not use topics when %s has records',
  async (topic) => {
    const connection = backbone();
    await createTopics({ brokers: connection.brokers, prefix: connection.prefix, partitions: 1 });
    expect(await isInUse(connection)).toBe(false);
    await publishValues(connection, topic, [{ key: '1', value: sampleOf(topic) }]);
    expect(await isInUse(connection)).toBe(true);
  },
);
