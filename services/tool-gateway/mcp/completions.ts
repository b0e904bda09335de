/** Completes arguments of prompts and of resource templates: names, and ids found by name. */

import type { CompleteRequestParams } from '@modelcontextprotocol/server';
import { covers } from '#contract/rest/operations.ts';
import { liveSince } from '#contract/rest/parameters.ts';
import { foldName } from '#domain/name-search.ts';
import { shortText } from '#json/short-text.ts';
import { promptsOf } from './prompts.ts';
import { TEMPLATES } from './resources.ts';
import { listCompetitions } from './tools/catalogue.ts';
import { dataOf } from './tools/common.ts';
import { getMatch } from './tools/match.ts';
import { listMatches, liveBoard, liveMatches } from './tools/matches.ts';
import { search } from './tools/search.ts';
import { listStandings, tablesOf } from './tools/standings.ts';
import { invalidParams, type Tool, type ToolScope } from './tools/tool.ts';

/** Maximum number of values in an answer (protocol). */
const MAX_VALUES = 100;
/** Maximum number of teams or competitions of a name whose ids are returned. */
const MAX_NAMES = 5;
const MAX_IDS = 20;
const SEARCHED_PAGE = { limit: 2_000, page: 1 } as const;
const DIGITS = /^\d+$/;

type Values = readonly (string | number)[];

/** Finds the values of an argument; `context` has the arguments that are already filled in. */
type Finder = (typed: string, scope: ToolScope, context: Readonly<Record<string, string>>) => Values;

/** By the name of the argument, of a prompt or resource template. */
const FINDERS: Readonly<Record<string, Finder>> = {
  team: (typed, { queries, access }) => queries.teams(typed, access).map(({ name }) => name),
  competition: (typed, scope) => competitions(typed, scope).map(({ name }) => name),
  season(typed, scope, { competition = '' }) {
    const [best] = competitions(competition, scope);
    if (best === undefined || competition === '') return [];
    const names = scope.queries.seasons(best.id, scope.access).flatMap(({ name }) => name ?? []);
    return names.filter((name) => foldName(name).includes(foldName(typed)));
  },
  match_id: matchIds,
  standings_id: tableIds,
};

/** Returns the matching values, best first, 100 at most. Throws `ProtocolError` for an unknown prompt or resource. */
export function complete({ ref, argument, context }: CompleteRequestParams, scope: ToolScope) {
  const find = argumentsIn(ref, scope).includes(argument.name) ? FINDERS[argument.name] : undefined;
  const found = find?.(argument.value.trim(), scope, context?.arguments ?? {}) ?? [];
  const all = [...new Set(found.map((value) => shortText(String(value))))];
  const values = all.slice(0, MAX_VALUES);
  return { completion: { values, total: all.length, hasMore: all.length > MAX_VALUES } };
}

function argumentsIn(ref: CompleteRequestParams['ref'], { access }: ToolScope): readonly string[] {
  if (ref.type === 'ref/prompt') {
    const prompt = promptsOf(access).find(({ name }) => name === ref.name);
    if (prompt === undefined) throw invalidParams(`Unknown prompt: ${ref.name.slice(0, 100)}`);
    return prompt.arguments?.map(({ name }) => name) ?? [];
  }
  const template = TEMPLATES.find(({ uriTemplate }) => uriTemplate === ref.uri);
  if (template === undefined)
    throw invalidParams('Unknown resource template: send one of resources/templates/list');
  return template.uriTemplate.match(/(?<=\{)\w+(?=\})/g) ?? [];
}

/** Finds live matches by the first digits of their ids, all of them for an empty text; else the latest matches of teams by name. */
function matchIds(typed: string, scope: ToolScope): Values {
  if (!hasTool(scope, getMatch)) return [];
  if (typed === '' || DIGITS.test(typed))
    return hasTool(scope, liveBoard)
      ? liveMatches(scope, MAX_VALUES)
          .map(({ state }) => state.event_id)
          .filter((id) => String(id).startsWith(typed))
      : [];
  if (!hasTool(scope, search) || !hasTool(scope, listMatches)) return [];
  const teams = scope.queries.teams(typed, scope.access).slice(0, MAX_NAMES);
  return teams.flatMap(({ id }) => {
    const query = { participant_id: id, liveSince: liveSince(scope.now), limit: MAX_IDS, page: 1 };
    return scope.queries.matches(query, scope.access, 'latest').items.map(({ state }) => state.event_id);
  });
}

/** Finds tables by the first digits of their ids, else by competition: those of the current season. */
function tableIds(typed: string, scope: ToolScope): Values {
  if (!hasTool(scope, listStandings)) return [];
  if (typed === '' || DIGITS.test(typed)) {
    const answer = scope.data.standingsList(SEARCHED_PAGE, scope.access);
    return dataOf<'standings.index'>(answer)
      .standings_list.map(({ id }) => id)
      .filter((id) => String(id).startsWith(typed));
  }
  const seasons = competitions(typed, scope)
    .slice(0, MAX_NAMES)
    .flatMap(({ id }) => scope.queries.seasons(id, scope.access).filter(({ current }) => current));
  return seasons.flatMap(({ id }) =>
    tablesOf(id, { limit: MAX_VALUES, page: 1 }, scope).entries.map((table) => table.id),
  );
}

/** Finds competitions by a part of their name, best first; all for an empty text. */
function competitions(typed: string, scope: ToolScope): readonly { id: number; name: string }[] {
  if (!hasTool(scope, listCompetitions)) return [];
  if (typed !== '') return scope.queries.competitions(typed, scope.access);
  const answer = scope.data.competitions(SEARCHED_PAGE, scope.access);
  return dataOf<'competitions.index'>(answer).competitions.filter(({ name }) => name !== '');
}

const hasTool = ({ access }: ToolScope, { operations }: Tool): boolean => covers(access, operations);
