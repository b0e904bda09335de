/** The number of partitions changes: in place, which is refused, and as docs/guides/runbooks/more-partitions.md says. */
import { topicName } from '#topics/topics.ts';
import { withAdmin } from '../../test/support/admin.ts';
import { checkEvents, checkTables, require } from './checks.ts';
import { PREFIX, YearSystem } from './system.ts';
import type { Year } from './year.ts';

const WIDER = 'wider.';
const PARTITIONS = '12';

/** Adds a partition by hand, then replays into topics with more, and serves these. Call it last: nobody can remove partitions. */
export async function growPartitions(year: Year): Promise<void> {
  const { system } = year;
  const name = topicName(PREFIX, 'match-incidents');
  await withAdmin(system.kafka.brokers, (admin) => admin.createPartitions({ topics: [{ name, count: 9 }] }));
  year.note('a partition is added to match-incidents by hand');
  await year.check('a partition that was added by hand is named by doctor with its page', async () => {
    const { code, out } = await year.doctor();
    require(code === 1 && out.includes(`${name} has 9 partitions, not 8`), out);
    require(out.includes('more-partitions.md'), out);
  });
  await year.check('topics with 12 partitions have the same, and are served', async () => {
    const replayed = await system.succeed(
      'replay',
      '--into',
      WIDER,
      '--for-switch',
      '--partitions',
      PARTITIONS,
    );
    require(replayed.includes(`${year.accepted} records`), replayed);
    // Earlier releases derived most of the year: where a rule changed, the log differs, and what is served below must not.
    const { out } = await system.command(['compare', PREFIX, WIDER]);
    year.note(`compared with ${PARTITIONS} partitions: ${/\w+ \(level \w+\)/.exec(out)?.[0] ?? out}`);
    await system.stopServices();
    system.set({ TOPIC_PREFIX: WIDER, TOPIC_PARTITIONS: PARTITIONS });
    await system.startServices(year.release.folder);
    year.note(`all is served from topics with ${PARTITIONS} partitions`);
    await checkEvents(year.client, year.announced, year.played);
    await checkTables(year.client, year.played);
    await YearSystem.until('doctor fails nothing', async () => (await year.doctor()).code === 0);
  });
}
