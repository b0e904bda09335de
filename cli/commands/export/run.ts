import { extname } from 'node:path';
import { isOfDisk, shortageOf, withAdvice } from '#errors/shortages.ts';
import { findTopics } from '#topics/admin.ts';
import { follow } from '#topics/follow.ts';
import { findClusterWith, type OpenCluster } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { type TextColumn, tableText } from '../../table.ts';
import type { command } from './command.ts';
import { type ExportShape, type SeasonIds, SHAPES } from './datasets.ts';
import { type ExportFilter, readRows, seasonOf } from './rows.ts';
import type { ExportColumn } from './schema-columns.ts';
import { jsonLinesWriter, parquetWriter, type RowWriter } from './writers.ts';

const COLUMNS: readonly TextColumn<ExportColumn>[] = [
  { head: 'column', of: ({ name }) => name },
  { head: 'type', of: ({ type }) => type },
];

export async function run(...[name, options]: GivenTo<typeof command>): Promise<number> {
  const { out = null, from = null, to = null, competition = null, season = null } = options;
  if (out !== null && !FORMATS.includes(extname(out)))
    throw new UsageError(`--out must end with ${FORMATS.join(' or ')}, not ${JSON.stringify(out)}`);
  const filter: ExportFilter = { from, to, competition, season };
  const dataset = SHAPES[name] as unknown as ExportShape<object>;
  if (options.columns) {
    process.stdout.write(tableText(COLUMNS, dataset.columns));
    return 0;
  }
  const cluster = await findClusterWith(['match-state']);
  let writer: RowWriter | null = null;
  let rows = 0;
  try {
    const opened = openWriter(out, dataset.columns);
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

function openWriter(out: string | null, columns: readonly ExportColumn[]): RowWriter {
  return out !== null && extname(out) === '.parquet'
    ? parquetWriter(out, columns)
    : jsonLinesWriter(out, columns, process.stdout);
}

const FORMATS = ['.parquet', '.jsonl'];

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
