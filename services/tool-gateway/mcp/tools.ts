import { covers } from '#contract/rest/operations.ts';
import type { Access } from '#contract/rest/provider.ts';
import { listCompetitions, listSports } from './tools/catalogue.ts';
import { listChanges } from './tools/changes.ts';
import { getMatch } from './tools/match.ts';
import { headToHead, listMatches, liveBoard } from './tools/matches.ts';
import { fetchDocument, search } from './tools/search.ts';
import { getStandings, getTopScorers, listStandings } from './tools/standings.ts';
import type { Tool } from './tools/tool.ts';

export const TOOLS: readonly Tool[] = [
  search,
  fetchDocument,
  listSports,
  listCompetitions,
  listMatches,
  liveBoard,
  getMatch,
  listChanges,
  headToHead,
  listStandings,
  getStandings,
  getTopScorers,
];

export function toolsOf(access: Access): readonly Tool[] {
  return TOOLS.filter(({ operations }) => covers(access, operations));
}
