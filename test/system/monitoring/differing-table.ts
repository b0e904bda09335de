import { LEAGUE_TYPE_ID, PROVIDER_LEAGUE, readProviderLeague } from '#domain/standings/provider-league.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { createKafka } from '../../support/kafkajs.ts';
import type { PipelineConnection } from '../../support/pipeline.ts';

/** Publishes a derived table of three hours ago, and one of the provider with a correction. */
export async function publishDifferingTable({
  brokers,
  registryUrl,
  prefix,
}: PipelineConnection): Promise<void> {
  const table = (pts: number) => ({
    object_type: 'season',
    object_id: 7,
    groups: [
      { id: '', participants: [{ id: 1, name: 'One', rank: 1, columns: [{ code: 'pts', value: pts }] }] },
    ],
  });
  const of = {
    standings_id: 900,
    version: 1,
    type_id: LEAGUE_TYPE_ID,
    object_type: 'season',
    object_id: 7,
    competition_id: 7,
    season_id: 7,
    ut: 1,
    cause: null,
  };
  const names = { name: '', type_name: '', subtype: '', object_name: '', item_status: 'active', sport_id: 5 };
  const theirs = { kind: PROVIDER_LEAGUE, id: '901', parent_id: '7', ut: 1 };
  const registry = Registry.open({ url: registryUrl, prefix });
  const [catalogue, entries, tables] = await Promise.all([
    registry.codec('catalogue'),
    registry.codec('standings-catalogue'),
    registry.codec('standings'),
  ]);
  const values = [
    ['catalogue', catalogue.encode({ ...theirs, body: JSON.stringify(readProviderLeague(table(1))) })],
    ['standings-catalogue', entries.encode({ ...of, ...names })],
    ['standings', tables.encode({ ...of, body: JSON.stringify(table(7)), later: [] })],
  ] as const;
  const timestamp = String(Date.now() - 3 * 3_600_000);
  const producer = createKafka({ brokers, clientId: 'test-tables' }).producer();
  await producer.connect();
  await producer.sendBatch({
    topicMessages: values.map(([topic, value]) => ({
      topic: topicName(prefix, topic),
      messages: [{ key: '900', value, timestamp }],
    })),
  });
  await producer.disconnect();
}
