import type { Access } from '#contract/rest/provider.ts';
import { toolQueries } from '#views/queries/tool-queries.ts';
import { createProviderData } from '#views/render/answers/provider-data.ts';
import { EVERYTHING, RECEIVED_AT, type ViewsWorld } from '#views/testing/world.ts';
import { ToolError, type ToolScope } from '../tools/tool.ts';
import { TOOLS } from '../tools.ts';
import type { League } from './league.ts';

/** Arguments for which each tool has an answer about a league. */
export function argumentsFor(league: League): Readonly<Record<string, ToolArguments>> {
  const [team_id, opponent_id] = league.teams;
  return {
    search: { query: league.competition === 601 ? 'goteborg' : 'zurich' },
    fetch: { id: `match-${league.match}` },
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

/** The scope of a client at the time when the messages of the world were received. */
export function scopeOf(world: ViewsWorld, access: Access = EVERYTHING): ToolScope {
  return {
    data: createProviderData(world.views),
    queries: toolQueries(world.views),
    access,
    now: RECEIVED_AT / 1000,
    boardUrl: null,
  };
}

export type ToolArguments = Readonly<Record<string, unknown>>;

export function callTool(scope: ToolScope, name: string, args: ToolArguments = {}): Record<string, unknown> {
  const tool = TOOLS.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.call(args, scope);
}

/** Returns code and message of a refused call, or the answer of an accepted one. */
export function refusalOf(scope: ToolScope, name: string, args: ToolArguments): string {
  try {
    return JSON.stringify(callTool(scope, name, args));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return `${error.published}: ${error.message}`;
  }
}
