import type { Access } from '#contract/rest/provider.ts';
import { isCovered } from '#views/queries/access.ts';
import type { BoardView } from '#views/store/views.ts';

/** The part of a view that requests read; only the hub subscribes to changes. */
export type ReadView = Omit<BoardView, 'onChange' | 'onTable'>;

/** Restricts a view to the competitions of a contract. Everything else reads as unknown. */
export function scopedView(view: BoardView, access: Access): ReadView {
  if (access.competitions === null) return view;
  const covers = ({ competition_id }: { readonly competition_id: number | null }): boolean =>
    isCovered(access, competition_id);
  const state = (eventId: number) => {
    const found = view.state(eventId);
    return found !== null && covers(found) ? found : null;
  };
  const seasons = () => view.seasons().filter(covers);
  const hasSeason = (seasonId: number | null): boolean =>
    seasonId !== null && seasons().some(({ season_id }) => season_id === seasonId);
  return {
    liveStates: () => view.liveStates().filter(covers),
    upcomingStates: (from, limit) => view.upcomingStates(from, limit, access.competitions),
    recentStates: (limit) => view.recentStates(limit, access.competitions),
    state,
    matchHealth: (eventId, now) => view.matchHealth(eventId, now),
    sourceHealth: (now) => view.sourceHealth(now),
    sourceRecords: () => view.sourceRecords(),
    healthPast: (eventId) => (state(eventId) === null ? [] : view.healthPast(eventId)),
    incidents: (eventId) => (state(eventId) === null ? [] : view.incidents(eventId)),
    scoringIncidents: (eventId, ids) =>
      state(eventId) === null ? new Map() : view.scoringIncidents(eventId, ids),
    yellowCards: (eventId) => (state(eventId) === null ? new Map() : view.yellowCards(eventId)),
    story: (eventId) => (state(eventId) === null ? [] : view.story(eventId)),
    levelNames: (of) => view.levelNames(of),
    seasons,
    tables: (seasonId) => (hasSeason(seasonId) ? view.tables(seasonId) : []),
    comparedLeagues: (seasonId) => (hasSeason(seasonId) ? view.comparedLeagues(seasonId) : []),
    knockOuts: (seasonId) => (hasSeason(seasonId) ? view.knockOuts(seasonId) : []),
    // Rankings belong to no competition, so no contract for some competitions covers them.
    rankings: () => [],
    table(standingsId) {
      const tables = seasons().flatMap(({ season_id }) => view.tables(season_id));
      return tables.some(({ standings_id }) => standings_id === standingsId) ? view.table(standingsId) : null;
    },
  };
}
