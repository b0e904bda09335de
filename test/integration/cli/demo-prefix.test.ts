import { expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { topicName } from '#topics/topics.ts';
import { isInUse } from '../../../cli/commands/demo/check.ts';
import { backbone } from '../../setup/backbone.ts';
import { publishValues } from '../../support/publish-values.ts';
import { makeOnly } from '../../support/topics.ts';

const USED = ['raw-messages', 'normalized-messages', 'match-state', 'clients'] as const;

test.each(USED)('a demonstration does not use topics when %s has records', async (topic) => {
  const connection = backbone();
  expect(await isInUse(connection)).toBe(false);
  await makeOnly(new Set([topicName(connection.prefix, topic)]), { ...connection, partitions: 1 });
  expect(await isInUse(connection)).toBe(false);
  await publishValues(connection, topic, [{ key: '1', value: sampleOf(topic) }]);
  expect(await isInUse(connection)).toBe(true);
});
