import { extname } from 'node:path';
import { isOfDisk, shortageOf, withAdvice } from '#errors/shortages.ts';
import type { Cause, MatchState, TopicValues } from '#records/types.ts';
import { findTopics } from '#topics/admin.ts';
import { follow, type TopicRecord, type TopicSource } from '#topics/follow.ts';
import type { TopicName } from '#topics/topics.ts';
import { findClusterWith, type OpenCluster } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { readEachLatest } from '../../followed-topics.ts';
import type { command } from './command.ts';
import { type ExportRow, type ExportShape, type SeasonIds, SHAPES } from './datasets.ts';
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

/** Selects the records to export; null selects all. Times are times of receipt, Unix milliseconds; `to` is excluded. */
export type ExportFilter = {
  readonly from: number | null;
  readonly to: number | null;
  readonly competition: number | null;
  readonly season: number | null;
};

const UNKNOWN: SeasonIds = { competition: null, season: null };

/** Topics of which every record is exported; of the others, the last one of each key. */
const WHOLE: ReadonlySet<TopicName> = new Set(['match-transitions', 'normalized-messages']);

/** Calls `onRow` with the selected rows of a dataset, in the order of each partition. Rejects as `follow`. */
export async function readRows(
  { topic, columns, rows }: ExportShape<object>,
  cluster: OpenCluster,
  filter: ExportFilter,
  onRow: (row: ExportRow) => void | Promise<void>,
): Promise<void> {
  const isOfMatch = columns.some((column) => column.name === 'event_id');
  const matches = isOfMatch && topic !== 'match-state' ? await readSeasons(cluster) : new Map();
  const read = WHOLE.has(topic) ? readEach : readEachLatest;
  await read(topic, cluster, async (value) => {
    const season = seasonIn(value, matches);
    if (!isSelected(filter, receivedAt(value), season)) return;
    for (const row of rows(value, season)) await onRow(row);
  });
}

/** Returns the season of a record: its own, else that of its match. */
function seasonIn(value: object, matches: ReadonlyMap<number, SeasonIds>): SeasonIds {
  if ('season_id' in value) return seasonOf(value as MatchState);
  const { event_id = null } = value as { readonly event_id?: number | null };
  return (event_id === null ? undefined : matches.get(event_id)) ?? UNKNOWN;
}

/** Returns when the last message of a record was received, else when the record was written, Unix milliseconds. */
function receivedAt(value: object): number {
  const { cause, received_at, written_at, ut } = value as {
    readonly cause?: Cause;
    readonly received_at?: number;
    readonly written_at?: number;
    readonly ut?: number;
  };
  return cause?.received_at ?? received_at ?? written_at ?? (ut ?? 0) * 1_000;
}

/** Returns the competition and season of a record. */
export function seasonOf(of: {
  readonly competition_id: number | null;
  readonly season_id: number | null;
}): SeasonIds {
  return { competition: of.competition_id, season: of.season_id };
}

function isSelected(filter: ExportFilter, receivedAt: number, { competition, season }: SeasonIds): boolean {
  return (
    (filter.from === null || receivedAt >= filter.from) &&
    (filter.to === null || receivedAt < filter.to) &&
    (filter.competition === null || competition === filter.competition) &&
    (filter.season === null || season === filter.season)
  );
}

/** Calls `onValue` with every record that has a value, each partition's in order. */
function readEach<T extends TopicName>(
  topic: T,
  source: TopicSource,
  onValue: (value: TopicValues[T]) => void | Promise<void>,
): Promise<void> {
  const onRecord = ({ value }: TopicRecord<T>) => value && onValue(value);
  return follow([topic], source, { untilEnd: true, onRecord });
}

/** Returns the seasons of all matches, for rows of topics that do not name them. */
async function readSeasons(cluster: OpenCluster): Promise<ReadonlyMap<number, SeasonIds>> {
  const seasons = new Map<number, SeasonIds>();
  await readEach('match-state', cluster, (state) => void seasons.set(state.event_id, seasonOf(state)));
  return seasons;
}
