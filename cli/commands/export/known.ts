import { findTopics } from '#topics/admin.ts';
import type { OpenCluster } from '../../cluster.ts';
import { CommandError } from '../../command.ts';
import type { SeasonChoice } from './columns.ts';
import type { Choice } from './rows.ts';
import { readEach } from './topic-reads.ts';

/** Throws `CommandError` where no match and no table, of any time, is of the chosen competition or season. */
export async function requireKnown(
  place: OpenCluster,
  choice: Pick<Choice, 'competition' | 'season'>,
): Promise<void> {
  const { brokers, prefix } = place;
  const there = await findTopics({ brokers, prefix });
  const known: SeasonChoice[] = [];
  for (const topic of ['match-state', 'standings'] as const)
    if (there.has(topic))
      await readEach(place, topic, ({ competition_id, season_id }) => {
        known.push({ competition: competition_id, season: season_id });
      });
  for (const level of ['competition', 'season'] as const) {
    const id = choice[level];
    if (id === null || known.some((one) => one[level] === id)) continue;
    throw new CommandError(`${level} ${id} is unknown here: no match or table under ${prefix} is of it`);
  }
}
