import { extname } from 'node:path';
import { isOfDisk, shortageOf, withAdvice } from '#errors/shortages.ts';
import { findTopics } from '#topics/admin.ts';
import { follow } from '#topics/follow.ts';
import { findClusterWith, type OpenCluster } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import type { command } from './command.ts';
import { type ExportShape, type SeasonIds, SHAPES } from './datasets.ts';
import { type ExportFilter, readRows, seasonOf } from './rows.ts';
import { jsonLinesWriter, parquetWriter, type RowWriter } from './writers.ts';

export async function run(...[name, options]: GivenTo<typeof command>): Promise<number> {
  const { out = null, from = null, to = null, competition = null, season = null } = options;
  if (out !== null && extname(out) !== '.parquet')
    throw new UsageError(`--out must end with .parquet, not ${JSON.stringify(out)}`);
  const filter: ExportFilter = { from, to, competition, season };
  const dataset = SHAPES[name] as unknown as ExportShape<object>;
  const cluster = await findClusterWith(['match-state']);
  let writer: RowWriter | null = null;
  let rows = 0;
  try {
    const { columns } = dataset;
    const opened = out === null ? jsonLinesWriter(columns, process.stdout) : parquetWriter(out, columns);
    writer = opened;
    await readRows(dataset, cluster, filter, (row) => {
      rows += 1;
      return opened.write(row);
    });
    if (rows === 0) await requireKnown(cluster, filter);
    await opened.close();
  } catch (error) {
    writer?.abort();
    if (out !== null && isOfDisk(shortageOf(error)))
      throw new CommandError(`${out} cannot be written (${withAdvice(error as Error)})`);
    throw error;
  }
  if (out !== null) process.stdout.write(`${rows} rows in ${out}\n`);
  return 0;
}

/** Throws `CommandError` when no match and no table, of any time, belongs to the competition or season of the filter. */
async function requireKnown(
  cluster: OpenCluster,
  filter: Pick<ExportFilter, 'competition' | 'season'>,
): Promise<void> {
  const existing = await findTopics(cluster);
  const known: SeasonIds[] = [];
  await follow(
    (['match-state', 'standings'] as const).filter((topic) => existing.has(topic)),
    cluster,
    {
      untilEnd: true,
      onRecord: ({ value }) => value && known.push(seasonOf(value)),
    },
  );
  for (const level of ['competition', 'season'] as const) {
    const id = filter[level];
    if (id === null || known.some((one) => one[level] === id)) continue;
    throw new CommandError(
      `${level} ${id} is unknown here: no match or table under ${cluster.prefix} belongs to it`,
    );
  }
}
