/** The datasets: a topic each, with the columns of its schema. docs/guides/analyse.md and `touchline export --columns` list them. */
import { incidentMinute } from '#domain/clock.ts';
import type { PeriodRule } from '#domain/clock-rule.ts';
import type { Side } from '#domain/goal-facts.ts';
import type { IncidentEffect } from '#domain/incident-effect.ts';
import type { MatchIncident, TopicValues } from '#records/types.ts';
import { type AvroRecord, loadSchemas } from '#topics/codec.ts';
import type { TopicName } from '#topics/topics.ts';
import { type ExportCell, type ExportColumn, type ExportRow, schemaColumns } from './schema-columns.ts';

/** Ids of the competition and season of a row. Null is unknown. */
export type SeasonIds = { readonly competition: number | null; readonly season: number | null };

/** The columns of a dataset, and the rows that a record has. */
export type ExportShape<V> = {
  readonly columns: readonly ExportColumn[];
  /** `season`: that of the record's match, for a topic that does not name it. */
  rows(value: V, season: SeasonIds): ExportRow[];
};

/** Records in lists that have columns of their own: what these begin with, and the lists around them. */
type ListPart = readonly [prefix: string, ...lists: string[]];

/**
 * Returns the shape of a topic: the columns of its schema and of `parts`, and the season of a match. `rowsOf` returns, for each row, the
 * record and that of each part.
 */
function shapeOf<T extends TopicName>(
  topic: T,
  parts: readonly ListPart[] = [],
  rowsOf: (value: TopicValues[T]) => readonly (object | null)[][] = (value) => [[value]],
): ExportShape<TopicValues[T]> {
  const schema = SCHEMAS.get(topic) as AvroRecord;
  const lists = new Set(parts.flatMap(([, ...path]) => path));
  const columns = [[''] as ListPart, ...parts].flatMap(([prefix, ...path], part) =>
    schemaColumns(schema, ...path)
      .filter(({ name }) => !lists.has(name))
      .map(({ name, type, of }) => ({ name: `${prefix}${name}`, type, of, part })),
  );
  const isOfMatch = columns.some(({ name }) => name === 'event_id');
  const missing = isOfMatch ? SEASON.filter(([name]) => !columns.some((own) => own.name === name)) : [];
  return {
    columns: [
      ...columns.map(({ name, type }) => ({ name, type })),
      ...missing.map(([name]) => ({ name, type: 'INT64' as const })),
    ],
    rows: (value, season) =>
      rowsOf(value).map((records) => [
        ...columns.map(({ of, part }) => of(records[part] ?? null)),
        ...missing.map(([, level]) => season[level]),
      ]),
  };
}

const SCHEMAS = loadSchemas().topics;
const SEASON = [
  ['competition_id', 'competition'],
  ['season_id', 'season'],
] as const;

/** The shapes of the datasets that are a topic. */
export const SHAPES = {
  states: shapeOf('match-state'),
  transitions: shapeOf('match-transitions'),
  results: shapeOf('match-results'),
  messages: shapeOf('normalized-messages'),
  'feed-health': shapeOf('feed-health', [['gap_', 'gaps']], (record) =>
    [null, ...record.gaps].map((gap) => [record, gap]),
  ),
  tables: shapeOf(
    'standings',
    [
      ['group_', 'groups'],
      ['', 'groups', 'rows'],
    ],
    (table) => table.groups.flatMap((group) => group.rows.map((row) => [table, group, row])),
  ),
  rankings: shapeOf(
    'provider-standings',
    [
      ['group_', 'groups'],
      ['row_', 'groups', 'participants'],
    ],
    (table) => table.groups.flatMap((group) => group.participants.map((row) => [table, group, row])),
  ),
  catalogue: shapeOf('catalogue'),
};

/** An incident with its effect on the score of its match. */
export type ExportedIncident = {
  readonly record: MatchIncident;
  readonly effect: IncidentEffect;
  /** Lengths of the periods of its match; null in another sport than soccer. */
  readonly lengths: PeriodRule;
};

/** What the laws say of an incident, after the columns of its record. */
const EFFECT: readonly (readonly [ExportColumn, (of: ExportedIncident) => ExportCell])[] = [
  [{ name: 'stands', type: 'BOOLEAN' }, ({ effect }) => effect.stands],
  [{ name: 'counts', type: 'BOOLEAN' }, ({ effect }) => effect.counts],
  [{ name: 'in_shoot_out', type: 'BOOLEAN' }, ({ effect }) => effect.inShootOut],
  [{ name: 'home_delta', type: 'INT32' }, ({ effect }) => deltaOf(effect, 'home')],
  [{ name: 'away_delta', type: 'INT32' }, ({ effect }) => deltaOf(effect, 'away')],
  [
    { name: 'minute', type: 'STRING' },
    ({ record: { incident }, lengths }) => incident && incidentMinute(incident, lengths),
  ],
];

const RECORDED = shapeOf('match-incidents');

export const INCIDENTS: ExportShape<ExportedIncident> = {
  columns: [...RECORDED.columns, ...EFFECT.map(([column]) => column)],
  rows: (incident, season) =>
    RECORDED.rows(incident.record, season).map((row) => [...row, ...EFFECT.map(([, of]) => of(incident))]),
};

/** Returns what an incident added to the score of a side; null when its effect is unknown. */
function deltaOf({ counts, scored }: IncidentEffect, side: Side): number | null {
  if (counts === null) return null;
  return scored === side ? 1 : 0;
}
