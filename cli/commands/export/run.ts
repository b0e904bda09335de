import { extname } from 'node:path';
import { isOfDisk, shortageOf, withAdvice } from '#errors/shortages.ts';
import type { Cause, MatchState, TopicValues } from '#records/types.ts';
import { findTopics } from '#topics/admin.ts';
import { follow, type OpenTopics, type TopicRecord } from '#topics/follow.ts';
import type { TopicName } from '#topics/topics.ts';
import { findClusterWith, type OpenCluster } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { readEachLatest } from '../../followed-topics.ts';
import type { command } from './command.ts';
import { type ExportRow, type ExportShape, type SeasonIds, SHAPES } from './datasets.ts';
import { jsonLinesWriter, parquetWriter, type RowWriter } from './writers.ts';

type ExportFilter = Omit<GivenTo<typeof command>[1], 'out'>;

export async function run(...[name, { out, ...filter }]: GivenTo<typeof command>): Promise<number> {
  if (out !== undefined && extname(out) !== '.parquet')
    throw new UsageError(`--out must end with .parquet, not ${JSON.stringify(out)}`);
  const { from, to: until } = filter;
  if (from !== undefined && until !== undefined && from >= until)
    throw new UsageError('--from must be before --to');
  const dataset = SHAPES[name] as unknown as ExportShape<object>;
  const cluster = await findClusterWith(['match-state']);
  const { columns } = dataset;
  let writer: RowWriter | null = null;
  let rows = 0;
  try {
    const to = out === undefined ? jsonLinesWriter(columns, process.stdout) : parquetWriter(out, columns);
    writer = to;
    await readRows(dataset, cluster, filter, (row) => {
      rows += 1;
      return to.write(row);
    });
    if (rows === 0) await requireKnown(cluster, filter);
    await to.close();
  } catch (error) {
    writer?.abort();
    if (out !== undefined && isOfDisk(shortageOf(error)))
      throw new CommandError(`${out} cannot be written (${withAdvice(error as Error)})`);
    throw error;
  }
  if (out !== undefined) process.stdout.write(`${rows} rows in ${out}\n`);
  return 0;
}

/** Throws `CommandError` when no match and no table, of any time, belongs to the competition or season of the filter. */
async function requireKnown(cluster: OpenCluster, filter: ExportFilter): Promise<void> {
  const existing = await findTopics(cluster);
  const known: SeasonIds[] = [];
  for (const topic of ['match-state', 'standings'] as const)
    if (existing.has(topic)) await readEach(topic, cluster, (value) => void known.push(seasonOf(value)));
  for (const level of ['competition', 'season'] as const) {
    const id = filter[level];
    if (id === undefined || known.some((one) => one[level] === id)) continue;
    throw new CommandError(`${level} ${id} is unknown here: no match and no table belongs to it`);
  }
}

const WHOLE: ReadonlySet<TopicName> = new Set(['match-transitions', 'normalized-messages']);

/** Calls `onRow` with the selected rows of a dataset, in the order of each partition. Rejects as `follow`. */
async function readRows(
  { topic, columns, rows }: ExportShape<object>,
  cluster: OpenCluster,
  filter: ExportFilter,
  onRow: (row: ExportRow) => void | Promise<void>,
): Promise<void> {
  /** Of rows of topics that do not name their seasons. */
  const seasons = new Map<number | null | undefined, SeasonIds>();
  if (columns.some((column) => column.name === 'event_id') && topic !== 'match-state')
    await readEach('match-state', cluster, (state) => void seasons.set(state.event_id, seasonOf(state)));
  const read = WHOLE.has(topic) ? readEach : readEachLatest;
  await read(topic, cluster, async (value: ExportedRecord) => {
    const own = 'season_id' in value ? seasonOf(value as MatchState) : seasons.get(value.event_id);
    const season = own ?? { competition: null, season: null };
    const at = receivedAt(value);
    const isSelected =
      at >= (filter.from ?? Number.NEGATIVE_INFINITY) &&
      at < (filter.to ?? Number.POSITIVE_INFINITY) &&
      (filter.competition ?? season.competition) === season.competition &&
      (filter.season ?? season.season) === season.season;
    if (isSelected) for (const row of rows(value, season)) await onRow(row);
  });
}

/** What the records of topics have in common: their match, and when they were received or written. */
type ExportedRecord = object & {
  readonly event_id?: number | null;
  readonly cause?: Cause;
  readonly received_at?: number;
  readonly written_at?: number;
  readonly ut?: number;
};

/** Returns when the last message of a record was received, else when the record was written, Unix milliseconds. */
function receivedAt({ cause, received_at, written_at, ut = 0 }: ExportedRecord): number {
  return cause?.received_at ?? received_at ?? written_at ?? ut * 1_000;
}

function seasonOf(of: Pick<MatchState, 'competition_id' | 'season_id'>): SeasonIds {
  return { competition: of.competition_id, season: of.season_id };
}

function readEach<T extends TopicName>(
  topic: T,
  source: OpenTopics,
  onValue: (value: TopicValues[T]) => void | Promise<void>,
): Promise<void> {
  const onRecord = ({ value }: TopicRecord<T>) => value && onValue(value);
  return follow([topic], source, { untilEnd: true, onRecord });
}
