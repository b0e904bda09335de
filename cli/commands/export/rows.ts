import type { MatchSides } from '#domain/incident-effect.ts';
import type { MatchIncident } from '#topics/generated/types.ts';
import type { OpenCluster } from '../../cluster.ts';
import { readAt, readEach, readEachLatest, readLastOffsets } from '../../topic-reads.ts';
import {
  type ExportColumn,
  type ExportRow,
  INCIDENTS,
  type SeasonChoice,
  STATES,
  TABLES,
  TRANSITIONS,
} from './columns.ts';
import type { EXPORTS } from './command.ts';
import { IncidentEffects } from './incident-effects.ts';

/** Which records are exported; null: all. Times are those of receipt, Unix milliseconds, `to` not included. */
export type Choice = {
  readonly from: number | null;
  readonly to: number | null;
  readonly competition: number | null;
  readonly season: number | null;
};

/** One kind of export: where its rows are, and what they hold. */
export type ExportSource = {
  readonly columns: readonly ExportColumn[];
  /** Gives all chosen rows, in the order of each partition. Rejects with `StreamError`, `DecodeError`. */
  read(cluster: OpenCluster, choice: Choice, onRow: (row: ExportRow) => void | Promise<void>): Promise<void>;
};

const UNKNOWN: SeasonChoice = { competition: null, season: null };

export const DATASETS = {
  states: {
    columns: STATES.columns,
    read: (cluster, choice, onRow) =>
      readEachLatest(cluster, 'match-state', async (state) => {
        if (isChosen(choice, state.cause.received_at, seasonOf(state)))
          for (const row of STATES.rows(state, seasonOf(state))) await onRow(row);
      }),
  },
  transitions: {
    columns: TRANSITIONS.columns,
    async read(cluster, choice, onRow) {
      const matches = await readMatches(cluster);
      await readEach(cluster, 'match-transitions', async (transition) => {
        const season = matches.get(transition.event_id)?.season ?? UNKNOWN;
        if (isChosen(choice, transition.cause.received_at, season))
          for (const row of TRANSITIONS.rows(transition, season)) await onRow(row);
      });
    },
  },
  incidents: {
    columns: INCIDENTS.columns,
    async read(cluster, choice, onRow) {
      const effects = new IncidentEffects();
      const last = await readLastOffsets(cluster, 'match-incidents', (record) => effects.apply(record));
      // After the incidents: the match of each is known then.
      const matches = await readMatches(cluster);
      await readAt(cluster, 'match-incidents', last, async (record) => {
        const match = matches.get(record.event_id);
        const season = match?.season ?? UNKNOWN;
        if (!isChosen(choice, record.cause.received_at, season)) return;
        const row = { record, effect: effects.of(record, match), team: teamOf(record, match) };
        for (const cells of INCIDENTS.rows(row, season)) await onRow(cells);
      });
    },
  },
  tables: {
    columns: TABLES.columns,
    read: (cluster, choice, onRow) =>
      readEachLatest(cluster, 'standings', async (table) => {
        // A table of the provider's own has no cause here.
        if (isChosen(choice, table.cause?.received_at ?? table.ut * 1_000, seasonOf(table)))
          for (const row of TABLES.rows(table, seasonOf(table))) await onRow(row);
      }),
  },
} as const satisfies Record<keyof typeof EXPORTS, ExportSource>;

export type ExportName = keyof typeof DATASETS;

/** The competition and season that a record names. */
export function seasonOf(of: {
  readonly competition_id: number | null;
  readonly season_id: number | null;
}): SeasonChoice {
  return { competition: of.competition_id, season: of.season_id };
}

function isChosen(choice: Choice, receivedAt: number, { competition, season }: SeasonChoice): boolean {
  return (
    (choice.from === null || receivedAt >= choice.from) &&
    (choice.to === null || receivedAt < choice.to) &&
    (choice.competition === null || competition === choice.competition) &&
    (choice.season === null || season === choice.season)
  );
}

type ExportedMatch = MatchSides & { readonly season: SeasonChoice };

/** The fields of each match's state that rows of other topics need. */
async function readMatches(cluster: OpenCluster): Promise<ReadonlyMap<number, ExportedMatch>> {
  const matches = new Map<number, ExportedMatch>();
  await readEach(cluster, 'match-state', (state) => {
    const { event_id, sport_id: sportId, home, away } = state;
    matches.set(event_id, { season: seasonOf(state), sportId, home, away });
  });
  return matches;
}

function teamOf({ incident }: MatchIncident, match: ExportedMatch | undefined): string | null {
  const teams = [match?.home, match?.away];
  return teams.find((team) => team?.id === incident?.participant_id)?.name ?? null;
}
