import type { League } from './league.ts';

/** Arguments for which each tool has an answer about a league. */
export function askedOf(league: League): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const [team_id, opponent_id] = league.teams;
  return {
    search: { query: league.competition === 601 ? 'goteborg' : 'zurich' },
    list_sports: {},
    list_competitions: {},
    list_matches: { competition_id: league.competition },
    live_board: {},
    get_match: { match_id: league.match },
    list_changes: { since: '2026-01-01T00:00:00Z' },
    get_head_to_head: { team_id, opponent_id },
    list_standings: { competition_id: league.competition },
    get_standings: { season_id: league.season },
    get_top_scorers: { season_id: league.season },
  };
}
