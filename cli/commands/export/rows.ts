import { type PeriodRule, SOCCER_LENGTHS } from '#domain/clock-rule.ts';
import type { MatchSides } from '#domain/incident-effect.ts';
import { clockRuleOf } from '#domain/reported-fields.ts';
import { dayOf, groupsOn } from '#domain/standings/dated-table.ts';
import type { MatchIncident, MatchState, Standings } from '#records/types.ts';
import type { OpenCluster } from '../../cluster.ts';
import { readAt, readEach, readEachLatest, readLastOffsets } from '../../topic-reads.ts';
import { HEALTH, INCIDENTS, type SeasonIds, STATES, TABLES, TRANSITIONS } from './columns.ts';
import type { EXPORTS } from './command.ts';
import { IncidentEffects } from './incident-effects.ts';
import type { ExportColumn, ExportRow } from './schema-columns.ts';

/** Selects the records to export; null selects all. Times are times of receipt, Unix milliseconds; `to` is excluded. */
export type ExportFilter = {
  readonly from: number | null;
  readonly to: number | null;
  readonly competition: number | null;
  readonly season: number | null;
};

/** A dataset to export: its columns, and its rows. */
export type ExportSource = {
  readonly columns: readonly ExportColumn[];
  /** Calls `onRow` with the selected rows, in the order of each partition. Rejects with `StreamError`, `DecodeError`. */
  read(
    cluster: OpenCluster,
    filter: ExportFilter,
    onRow: (row: ExportRow) => void | Promise<void>,
  ): Promise<void>;
};

const UNKNOWN: SeasonIds = { competition: null, season: null };

/** The datasets by name. */
export const DATASETS = {
  states: {
    columns: STATES.columns,
    read: (cluster, filter, onRow) =>
      readEachLatest(cluster, 'match-state', async (state) => {
        if (isSelected(filter, state.cause.received_at, seasonOf(state)))
          for (const row of STATES.rows(state, seasonOf(state))) await onRow(row);
      }),
  },
  transitions: {
    columns: TRANSITIONS.columns,
    async read(cluster, filter, onRow) {
      const matches = await readMatches(cluster);
      await readEach(cluster, 'match-transitions', async (transition) => {
        const season = matches.get(transition.event_id)?.season ?? UNKNOWN;
        if (isSelected(filter, transition.cause.received_at, season))
          for (const row of TRANSITIONS.rows(transition, season)) await onRow(row);
      });
    },
  },
  incidents: {
    columns: INCIDENTS.columns,
    async read(cluster, filter, onRow) {
      const effects = new IncidentEffects();
      const last = await readLastOffsets(cluster, 'match-incidents', (record) => effects.apply(record));
      // Read after the incidents: then the match of each incident is known.
      const lengths = new Map<number, PeriodRule>();
      const matches = await readMatches(cluster, (state) =>
        lengths.set(state.event_id, clockRuleOf(state).lengths),
      );
      await readAt(cluster, 'match-incidents', last, async (record) => {
        const match = matches.get(record.event_id);
        const season = match?.season ?? UNKNOWN;
        if (!isSelected(filter, record.cause.received_at, season)) return;
        const row = {
          record,
          effect: effects.of(record, match),
          team: teamOf(record, match),
          lengths: match === undefined ? SOCCER_LENGTHS : (lengths.get(record.event_id) ?? 'unknown'),
        };
        for (const cells of INCIDENTS.rows(row, season)) await onRow(cells);
      });
    },
  },
  'feed-health': {
    columns: HEALTH.columns,
    async read(cluster, filter, onRow) {
      const matches = await readMatches(cluster);
      await readEachLatest(cluster, 'feed-health', async (record) => {
        const season =
          (record.event_id === null ? undefined : matches.get(record.event_id)?.season) ?? UNKNOWN;
        if (isSelected(filter, record.written_at, season))
          for (const row of HEALTH.rows(record, season)) await onRow(row);
      });
    },
  },
  tables: {
    columns: TABLES.columns,
    read: (cluster, filter, onRow) =>
      readEachLatest(cluster, 'standings', async (table) => {
        if (isSelected(filter, table.cause.received_at, seasonOf(table)))
          for (const row of TABLES.rows(todays(table), seasonOf(table))) await onRow(row);
      }),
  },
} as const satisfies Record<keyof typeof EXPORTS, ExportSource>;

export type ExportName = keyof typeof DATASETS;

/** Returns a table as it is today: with the corrections whose day has come. */
function todays(table: Standings): Standings {
  return { ...table, groups: groupsOn(table, dayOf(Date.now())) };
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

type ExportedMatch = MatchSides & { readonly season: SeasonIds };

/** Returns, by match, the fields of its state that rows of all other topics need. `onState` takes what one of them needs besides. */
async function readMatches(
  cluster: OpenCluster,
  onState?: (state: MatchState) => void,
): Promise<ReadonlyMap<number, ExportedMatch>> {
  const matches = new Map<number, ExportedMatch>();
  await readEach(cluster, 'match-state', (state) => {
    const { event_id, sport_id: sportId, home, away } = state;
    matches.set(event_id, { season: seasonOf(state), sportId, home, away });
    onState?.(state);
  });
  return matches;
}

function teamOf({ incident }: MatchIncident, match: ExportedMatch | undefined): string | null {
  const teams = [match?.home, match?.away];
  return teams.find((team) => team?.id === incident?.participant_id)?.name ?? null;
}
