/** The columns of each dataset. docs/guides/analyse.md and `touchline export --columns` list them. */
import { incidentMinute } from '#domain/clock.ts';
import type { PeriodRule } from '#domain/clock-rule.ts';
import type { Side } from '#domain/goal-facts.ts';
import { playerOf } from '#domain/incident-details.ts';
import type { IncidentEffect } from '#domain/incident-effect.ts';
import type {
  FeedHealth,
  HealthGap,
  Incident,
  MatchIncident,
  MatchState,
  MatchTransition,
  Standings,
} from '#records/types.ts';
import { type AvroRecord, loadSchemas } from '#topics/schemas.ts';
import {
  type ColumnType,
  type ExportCell,
  type ExportColumn,
  type ExportRow,
  itemRecord,
  schemaColumns,
} from './schema-columns.ts';

/** Ids of the competition and season of a row. Null is unknown. */
export type SeasonIds = { readonly competition: number | null; readonly season: number | null };

/** A column with the function that returns its value. */
type Field<V> = readonly [name: string, type: ColumnType, of: (value: V, season: SeasonIds) => ExportCell];
type ExportShape<V> = {
  readonly columns: readonly ExportColumn[];
  rows(value: V, season: SeasonIds): ExportRow[];
};

function exportShape<V>(fields: readonly Field<V>[]): ExportShape<V> {
  return {
    columns: fields.map(([name, type]) => ({ name, type })),
    rows: (value, season) => [fields.map(([, , of]) => of(value, season))],
  };
}

type Caused = Pick<MatchState, 'cause'>;
const CAUSE: readonly Field<Caused>[] = [
  ['ut', 'TIMESTAMP', ({ cause }) => cause.ut * 1_000],
  ['received_at', 'TIMESTAMP', ({ cause }) => cause.received_at],
  ['message_id', 'STRING', ({ cause }) => cause.message_id],
];

export const STATES = exportShape<MatchState>([
  ['event_id', 'INT64', (state) => state.event_id],
  ['version', 'INT64', (state) => state.version],
  ['name', 'STRING', (state) => state.name],
  ['sport_id', 'INT32', (state) => state.sport_id],
  ['competition_id', 'INT64', (state) => state.competition_id],
  ['season_id', 'INT64', (state) => state.season_id],
  ['stage_id', 'INT64', (state) => state.stage_id],
  ['group_id', 'INT64', (state) => state.group_id],
  ['start_date', 'STRING', (state) => state.start_date],
  ['status_id', 'INT32', (state) => state.status_id],
  ['status_type', 'STRING', (state) => state.status_type],
  ['bet_status', 'STRING', (state) => state.bet_status],
  ['clock_seconds', 'INT32', ({ clock }) => clock?.time ?? null],
  ['clock_status', 'STRING', ({ clock }) => clock?.status ?? null],
  ['home_id', 'INT64', ({ home }) => home?.id ?? null],
  ['home_name', 'STRING', ({ home }) => home?.name ?? null],
  ['away_id', 'INT64', ({ away }) => away?.id ?? null],
  ['away_name', 'STRING', ({ away }) => away?.name ?? null],
  ['home_score', 'INT32', ({ score }) => score?.home ?? null],
  ['away_score', 'INT32', ({ score }) => score?.away ?? null],
  ['home_firm', 'INT32', ({ firm }) => firm?.home ?? null],
  ['away_firm', 'INT32', ({ firm }) => firm?.away ?? null],
  ['home_shoot_out', 'INT32', ({ shoot_out }) => shoot_out?.home ?? null],
  ['away_shoot_out', 'INT32', ({ shoot_out }) => shoot_out?.away ?? null],
  ['home_reported', 'INT32', ({ reported }) => reported?.home ?? null],
  ['away_reported', 'INT32', ({ reported }) => reported?.away ?? null],
  ['home_derived', 'INT32', ({ derived }) => derived?.home ?? null],
  ['away_derived', 'INT32', ({ derived }) => derived?.away ?? null],
  ['source', 'STRING', (state) => state.source],
  ['coverage', 'STRING', (state) => state.coverage],
  ['agreement', 'STRING', (state) => state.agreement],
  ['under_review', 'BOOLEAN', (state) => state.under_review],
  ['guard_safe', 'BOOLEAN', ({ guard }) => guard.safe],
  ['guard_reasons', 'STRING', ({ guard }) => guard.reasons.join(' ')],
  ['missing', 'STRING', ({ missing }) => missing.join(' ')],
  ['unread', 'STRING', ({ unread }) => unread.map(({ path }) => path).join(' ')],
  ['unread_at', 'TIMESTAMP', (state) => (state.unread_at === null ? null : state.unread_at * 1_000)],
  ...CAUSE,
]);

export const TRANSITIONS = exportShape<MatchTransition>([
  ['id', 'STRING', (transition) => transition.id],
  ['event_id', 'INT64', (transition) => transition.event_id],
  ['version', 'INT64', (transition) => transition.version],
  ['n', 'INT32', (transition) => transition.n],
  ['kind', 'STRING', (transition) => transition.kind],
  ['competition_id', 'INT64', (_, { competition }) => competition],
  ['season_id', 'INT64', (_, { season }) => season],
  ['incident_id', 'STRING', (transition) => transition.incident_id],
  ['incident_type', 'INT32', (transition) => transition.incident_type],
  ['home_before', 'INT32', ({ score }) => score?.before?.home ?? null],
  ['away_before', 'INT32', ({ score }) => score?.before?.away ?? null],
  ['home_after', 'INT32', ({ score }) => score?.after?.home ?? null],
  ['away_after', 'INT32', ({ score }) => score?.after?.away ?? null],
  ['value_before', 'STRING', ({ value }) => value?.before ?? null],
  ['value_after', 'STRING', ({ value }) => value?.after ?? null],
  ['guard_safe', 'BOOLEAN', ({ guard }) => guard?.safe ?? null],
  ['guard_reasons', 'STRING', ({ guard }) => guard?.reasons.join(' ') ?? null],
  ['fields', 'STRING', ({ fields }) => fields.join(' ')],
  ...CAUSE,
]);

/** An incident with its effect on the score of its match. */
export type ExportedIncident = {
  readonly record: MatchIncident;
  readonly effect: IncidentEffect;
  /** Name of its team; null when unknown. */
  readonly team: string | null;
  /** Lengths of the periods of its match; null in another sport than soccer. */
  readonly lengths: PeriodRule;
};

const incidentCause = CAUSE.map(
  ([name, type, of]): Field<ExportedIncident> => [name, type, ({ record }, season) => of(record, season)],
);

export const INCIDENTS = exportShape<ExportedIncident>([
  ['event_id', 'INT64', ({ record }) => record.event_id],
  ['id', 'STRING', ({ record }) => record.id],
  ['version', 'INT64', ({ record }) => record.version],
  ['competition_id', 'INT64', (_, { competition }) => competition],
  ['season_id', 'INT64', (_, { season }) => season],
  ['removed', 'BOOLEAN', ({ record }) => record.removed],
  ['missing', 'BOOLEAN', ({ record }) => record.missing],
  ['stands', 'BOOLEAN', ({ effect }) => effect.stands],
  ['counts', 'BOOLEAN', ({ effect }) => effect.counts],
  ['in_shoot_out', 'BOOLEAN', ({ effect }) => effect.inShootOut],
  ['home_delta', 'INT32', ({ effect }) => deltaOf(effect, 'home')],
  ['away_delta', 'INT32', ({ effect }) => deltaOf(effect, 'away')],
  ['incident_type', 'INT32', ({ record: { incident } }) => incident?.incident_id ?? null],
  ['participant_id', 'INT64', ({ record: { incident } }) => incident?.participant_id ?? null],
  ['participant_name', 'STRING', ({ team }) => team],
  ['player_id', 'INT64', ({ record: { incident } }) => playerIn(incident)?.id ?? null],
  ['player_name', 'STRING', ({ record: { incident } }) => playerIn(incident)?.name ?? null],
  ['confirmation', 'STRING', ({ record: { incident } }) => incident?.confirmation ?? null],
  ['event_status_id', 'INT32', ({ record: { incident } }) => incident?.event_status_id ?? null],
  ['event_time', 'INT32', ({ record: { incident } }) => incident?.event_time ?? null],
  ['minute', 'STRING', ({ record: { incident }, lengths }) => incident && incidentMinute(incident, lengths)],
  ['parent_id', 'STRING', ({ record: { incident } }) => incident?.parent_id ?? null],
  ['counts_for', 'STRING', ({ record: { incident } }) => incident?.counts_for ?? null],
  ['written_at', 'TIMESTAMP', ({ record: { incident } }) => (incident === null ? null : incident.ut * 1_000)],
  ['body', 'JSON', ({ record: { incident } }) => incident && JSON.stringify(incident)],
  ...incidentCause,
]);

/** Returns what an incident added to the score of a side; null when its effect is unknown. */
function deltaOf({ counts, scored }: IncidentEffect, side: Side): number | null {
  if (counts === null) return null;
  return scored === side ? 1 : 0;
}

function playerIn(incident: Incident | null): ReturnType<typeof playerOf> {
  return incident && playerOf(incident);
}

/** The health of a source, or of a match of it; with `gap` one of its interruptions. */
type HealthRow = { readonly record: FeedHealth; readonly gap: HealthGap | null };

const HEALTH_ROWS = exportShape<HealthRow>([
  ['source', 'STRING', ({ record }) => record.source],
  ['event_id', 'INT64', ({ record }) => record.event_id],
  ['competition_id', 'INT64', (_, { competition }) => competition],
  ['season_id', 'INT64', (_, { season }) => season],
  ['row', 'STRING', ({ gap }) => (gap === null ? 'state' : 'gap')],
  ['state', 'STRING', ({ record, gap }) => (gap === null ? record.state : null)],
  ['reason', 'STRING', ({ record, gap }) => (gap ?? record).reason],
  ['since', 'TIMESTAMP', ({ record, gap }) => gap?.from ?? record.since],
  ['until', 'TIMESTAMP', ({ gap }) => gap?.to ?? null],
  ['action', 'STRING', ({ gap }) => gap?.action ?? null],
  ['heard_at', 'TIMESTAMP', ({ record, gap }) => (gap === null ? record.heard_at : null)],
  ['delay_ms', 'INT64', ({ record, gap }) => (gap === null ? record.delay : null)],
  ['gap_count', 'INT64', ({ record, gap }) => (gap === null ? record.gap_count : null)],
  ['written_at', 'TIMESTAMP', ({ record }) => record.written_at],
]);

/** A row for the state, and one for each known interruption. */
export const HEALTH: ExportShape<FeedHealth> = {
  columns: HEALTH_ROWS.columns,
  rows: (record, season) =>
    [null, ...record.gaps].flatMap((gap) => HEALTH_ROWS.rows({ record, gap }, season)),
};

const TABLE_SCHEMA = loadSchemas().topics.get('standings') as AvroRecord;
const GROUP_SCHEMA = itemRecord(TABLE_SCHEMA, 'groups');
const OF_TABLE = schemaColumns(TABLE_SCHEMA);
const OF_GROUP = schemaColumns(GROUP_SCHEMA);
const OF_ROW = schemaColumns(itemRecord(GROUP_SCHEMA, 'rows'));

/** A row for each row of a table, with the fields of the table and its group. */
export const TABLES: ExportShape<Standings> = {
  columns: [
    ...OF_TABLE,
    ...OF_GROUP.map((column) => ({ ...column, name: `group_${column.name}` })),
    ...OF_ROW,
  ].map(({ name, type }) => ({ name, type })),
  rows: (table) =>
    table.groups.flatMap((group) =>
      group.rows.map((row) => [
        ...OF_TABLE.map(({ of }) => of(table)),
        ...OF_GROUP.map(({ of }) => of(group)),
        ...OF_ROW.map(({ of }) => of(row)),
      ]),
    ),
};
