import type { Access } from '#contract/rest/provider.ts';
import { isCovered } from '#views/queries/access.ts';
import type { BoardView } from '#views/store/views.ts';

/** The part of a view that requests read; only the hub subscribes to changes. */
export type ReadView = Omit<BoardView, 'events'>;

/** Whether a contract covers what orders by hand are about; everybody sees that everything is halted. */
export function coversScope({ matches }: Pick<BoardView, 'matches'>, access: Access, scope: string): boolean {
  const [kind, id] = scope.split(':');
  if (kind === 'all') return true;
  const competition = kind === 'match' ? matches.state(Number(id))?.competition_id : Number(id);
  return competition !== undefined && isCovered(access, competition);
}

/**
 * Restricts a view to the competitions of a contract. Everything else reads as unknown: no match, season or table outside is found, by
 * whose ids the other values are read.
 */
export function scopedView(view: BoardView, access: Access): ReadView {
  if (access.competitions === null) return view;
  const { matches, halts, standings } = view;
  const covers = ({ competition_id }: { readonly competition_id: number | null }): boolean =>
    isCovered(access, competition_id);
  const isShown = (scope: string): boolean => coversScope(view, access, scope);
  const { health, incidentLog, catalogue, leagues } = view;
  return {
    health,
    incidentLog,
    catalogue,
    leagues,
    matches: {
      live: (now) => matches.live(now).filter(covers),
      upcoming: (from, limit) => matches.upcoming(from, limit, access.competitions),
      recent: (limit) => matches.recent(limit, access.competitions),
      state(eventId) {
        const found = matches.state(eventId);
        return found !== null && covers(found) ? found : null;
      },
    },
    halts: {
      // Those of a match are never left out: they are against trading it.
      standing(now, match = null) {
        const { isRead, standing } = halts.standing(now, match);
        return { isRead, standing: standing.filter(({ scope }) => match !== null || isShown(scope)) };
      },
      records: (match) => halts.records(match).filter(({ scope }) => match !== undefined || isShown(scope)),
    },
    seasons: () => view.seasons().filter(covers),
    // Rankings belong to no competition, so no contract for some competitions covers them.
    standings: {
      ofSeason: (seasonId) => standings.ofSeason(seasonId),
      knockOuts: (seasonId) => standings.knockOuts(seasonId),
      rankings: () => [],
    },
    matchHealth: (eventId, now) => view.matchHealth(eventId, now),
    levelNames: (of) => view.levelNames(of),
    table: (standingsId) => view.table(standingsId),
  };
}
