/** Passed-through rankings share the topics of the tables, all of which a new owner reads. */
import { expect, test } from 'vitest';
import { providerTable } from '#domain/standings/provider-table.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import type { Standings, StandingsEntry } from '#topics/generated/types.ts';
import { Registry } from '#topics/registry.ts';
import { TOPICS, topicName } from '#topics/topics.ts';
import { backbone, type TestBackbone } from '../../setup/backbone.ts';
import { quietLog } from '../../support/log.ts';
import { fixtures, reportOf } from '../../support/standings/made-up-season.ts';
import { eventOf, FINISHED } from '../../support/standings/provider-messages.ts';
import { type TablesOutput, TablesPipeline, tableOf } from '../../support/standings/tables-pipeline.ts';

const place = backbone();
/** Enough that each partition has some. */
const RANKINGS = 8 * TOPICS.standings.partitions;
const SEASON = 80;
const STAGE = 800;

const season = fixtures({ competition: 8, season: SEASON, stage: STAGE, group: null }, 4, 80_000);
const round = (number: number) =>
  season
    .filter(({ round: of }) => of === number)
    .map((fixture) => eventOf(reportOf(fixture, 105, FINISHED, { 2: [1, 0] })));

test('a new owner continues the tables beside passed-through rankings, which stay unchanged', async () => {
  const run = await TablesPipeline.create(place);
  const matches = run.pipeline.startProcessor();
  const first = rankings(1_700_000_000, 1);
  await publish(place, first);
  const owner = run.startTables();
  await run.feed(round(1));
  const before = await run.output();

  const second = rankings(1_700_000_100, 2);
  await publish(place, second);
  await owner.kill();
  const next = run.startTables();
  await run.feed(round(2));
  const after = await run.output();
  await Promise.all([matches.stop(), next.stop()]);

  expect(mp(before)).toEqual([1, 1, 1, 1]);
  expect(mp(after)).toEqual([2, 2, 2, 2]);
  const isRanking = ({ standings_id }: { standings_id: number }) => standings_id <= RANKINGS;
  const byId = (a: { standings_id: number; version: number }, b: typeof a) =>
    a.standings_id - b.standings_id || a.version - b.version;
  const published = [...first, ...second];
  expect(after.log.filter(isRanking).sort(byId)).toEqual(published.map(({ table }) => table).sort(byId));
  expect(after.entries.filter(isRanking).sort(byId)).toEqual(published.map(({ entry }) => entry).sort(byId));
  // Ours have each version once, so the new owner has read the last one.
  for (const records of [after.log, after.entries]) {
    const ours = Map.groupBy(
      records.filter((record) => !isRanking(record)),
      ({ standings_id }) => standings_id,
    );
    expect(ours.size).toBeGreaterThan(0);
    for (const versions of ours.values()) {
      expect(versions.map(({ version }) => version)).toEqual(versions.map((_, at) => at + 1));
    }
  }
});

const mp = (output: TablesOutput) =>
  tableOf(output, 2, 'stage', STAGE).groups.flatMap(({ participants }) =>
    participants.map(({ columns }) => columns.find(({ code }) => code === 'mp')?.value),
  );

type Ranking = { readonly entry: StandingsEntry; readonly table: Standings };

/** Rankings of national teams and of clubs as the provider answers them. */
function rankings(ut: number, leader: number): Ranking[] {
  return Array.from({ length: RANKINGS }, (_, at) => {
    const ranking = providerTable(
      {
        id: at + 1,
        type_id: at % 2 === 0 ? 9 : 11,
        type_name: 'Ranking',
        name: `Ranking ${at + 1}`,
        object_type: 'sport',
        object_id: 5,
        object_name: 'Soccer',
        sport_id: 5,
        item_status: 'active',
        ut,
        groups: [{ id: '', participants: [{ id: leader, rank: 1, columns: [{ code: 'pts', value: 100 }] }] }],
      },
      ut,
    );
    if (ranking === null) throw new Error('no ranking');
    return ranking;
  });
}

/** Publishes like the feed poller. */
async function publish(
  { brokers, registryUrl, prefix }: TestBackbone,
  published: readonly Ranking[],
): Promise<void> {
  const registry = Registry.open({ url: registryUrl, prefix });
  const [tables, entries] = [await registry.codec('standings'), await registry.codec('standings-catalogue')];
  const publisher = await openPublisher({ brokers, clientId: 'test-rankings', log: quietLog });
  await publisher.publish(
    published.flatMap(({ entry, table }) => [
      { topic: topicName(prefix, 'standings'), key: String(table.standings_id), value: tables.encode(table) },
      {
        topic: topicName(prefix, 'standings-catalogue'),
        key: String(entry.standings_id),
        value: entries.encode(entry),
      },
    ]),
  );
  await publisher.close();
}
