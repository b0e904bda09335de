import type { Access } from '#contract/rest/provider.ts';
import { isCovered } from '#views/queries/access.ts';
import type { BoardView } from '#views/store/views.ts';

/** The part of a view that requests read; only the hub subscribes to changes. */
export type ReadView = Omit<BoardView, 'onChange' | 'onTable'>;

/** Whether a contract covers what orders by hand are about; everybody sees that everything is halted. */
export function coversScope({ matches }: Pick<BoardView, 'matches'>, access: Access, scope: string): boolean {
  const [kind, id] = scope.split(':');
  if (kind === 'all') return true;
  const competition = kind === 'match' ? matches.state(Number(id))?.competition_id : Number(id);
  return competition !== undefined && isCovered(access, competition);
}

/** Restricts a view to the competitions of a contract. Everything else reads as unknown. */
export function scopedView(view: BoardView, access: Access): ReadView {
  if (access.competitions === null) return view;
  const { matches, health, halts, incidentLog, standings, leagues, knockOuts } = view;
  const covers = ({ competition_id }: { readonly competition_id: number | null }): boolean =>
    isCovered(access, competition_id);
  const state = (eventId: number) => {
    const found = matches.state(eventId);
    return found !== null && covers(found) ? found : null;
  };
  const isShown = (scope: string): boolean => coversScope(view, access, scope);
  const seasons = () => view.seasons().filter(covers);
  const hasSeason = (seasonId: number | null): boolean =>
    seasonId !== null && seasons().some(({ season_id }) => season_id === seasonId);
  return {
    matches: {
      live: (now) => matches.live(now).filter(covers),
      upcoming: (from, limit) => matches.upcoming(from, limit, access.competitions),
      recent: (limit) => matches.recent(limit, access.competitions),
      state,
    },
    halts: {
      // Those of a match are never left out: they are against trading it.
      standing(now, match = null) {
        const { isRead, standing } = halts.standing(now, match);
        return { isRead, standing: standing.filter(({ scope }) => match !== null || isShown(scope)) };
      },
      records: (match) => halts.records(match).filter(({ scope }) => match !== undefined || isShown(scope)),
    },
    matchHealth: (eventId, now) => view.matchHealth(eventId, now),
    health: {
      sources: (now) => health.sources(now),
      sourceRecords: () => health.sourceRecords(),
      past: (eventId) => (state(eventId) === null ? [] : health.past(eventId)),
    },
    incidentLog: {
      shown: (eventId) => (state(eventId) === null ? [] : incidentLog.shown(eventId)),
      scoring: (eventId, ids) => (state(eventId) === null ? new Map() : incidentLog.scoring(eventId, ids)),
      yellowCards: (eventId) => (state(eventId) === null ? new Map() : incidentLog.yellowCards(eventId)),
      guardClosedAt: (eventId) => (state(eventId) === null ? null : incidentLog.guardClosedAt(eventId)),
      story: (eventId) => (state(eventId) === null ? [] : incidentLog.story(eventId)),
    },
    levelNames: (of) => view.levelNames(of),
    catalogue: view.catalogue,
    seasons,
    standings: {
      ofSeason: (seasonId) => (hasSeason(seasonId) ? standings.ofSeason(seasonId) : []),
      // Rankings belong to no competition, so no contract for some competitions covers them.
      rankings: () => [],
    },
    leagues: { compared: (seasonId) => (hasSeason(seasonId) ? leagues.compared(seasonId) : []) },
    knockOuts: { stages: (seasonId) => (hasSeason(seasonId) ? knockOuts.stages(seasonId) : []) },
    table(standingsId) {
      const tables = seasons().flatMap(({ season_id }) => standings.ofSeason(season_id));
      return tables.some(({ standings_id }) => standings_id === standingsId) ? view.table(standingsId) : null;
    },
  };
}
