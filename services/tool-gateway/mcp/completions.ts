/** Completes arguments of prompts and of resource templates: names, and ids found by name. */

import type { CompleteRequestParams } from '@modelcontextprotocol/server';
import { covers } from '#contract/rest/operations.ts';
import { liveSince } from '#contract/rest/parameters.ts';
import { foldName } from '#domain/name-search.ts';
import { shortText } from '#json/short-text.ts';
import { invalidParams } from './answers.ts';
import { argumentsOf } from './prompts.ts';
import { listCompetitions } from './tools/catalogue.ts';
import { dataOf } from './tools/common.ts';
import { getMatch } from './tools/match.ts';
import { listMatches, liveBoard, liveMatches } from './tools/matches.ts';
import { search } from './tools/search.ts';
import { listStandings, tablesOf } from './tools/standings.ts';
import type { Tool, ToolScope } from './tools/tool.ts';
import { MATCH_TEMPLATE, TABLE_TEMPLATE } from './uris.ts';

/** Maximum number of values in an answer (protocol). */
const MAX_VALUES = 100;
/** Maximum number of teams or competitions of a name whose ids are returned. */
const MAX_NAMES = 5;
/** Maximum number of matches of one team. */
const MAX_IDS = 20;
/** The page of tables, or of competitions, that is searched. */
const SEARCHED_PAGE = { limit: 2_000, page: 1 } as const;
const DIGITS = /^\d+$/;

type Values = readonly (string | number)[];

/** Finds the values of an argument; `context` has the arguments that are already filled in. */
type Finder = (typed: string, scope: ToolScope, context: Readonly<Record<string, string>>) => Values;

const PROMPT_ARGUMENTS: Readonly<Record<string, Finder>> = {
  team: (typed, scope) =>
    hasTool(scope, search) ? scope.queries.teams(typed, scope.access).map(({ name }) => name) : [],
  competition: (typed, scope) => competitions(typed, scope).map(({ name }) => name),
  season: (typed, scope, { competition = '' }) => {
    const [best] = competitions(competition, scope);
    if (best === undefined || competition === '') return [];
    const names = scope.queries.seasons(best.id, scope.access).flatMap(({ name }) => name ?? []);
    return names.filter((name) => foldName(name).includes(foldName(typed)));
  },
};

const TEMPLATE_ARGUMENTS: ReadonlyMap<string, { readonly argument: string; readonly find: Finder }> = new Map(
  [
    [MATCH_TEMPLATE, { argument: 'match_id', find: matchIds }],
    [TABLE_TEMPLATE, { argument: 'standings_id', find: tableIds }],
  ],
);

/** Returns the matching values, best first, 100 at most. Throws `ProtocolError` for an unknown prompt or resource. */
export function complete({ ref, argument, context }: CompleteRequestParams, scope: ToolScope) {
  const found = finderOf(ref, argument.name, scope)(argument.value.trim(), scope, context?.arguments ?? {});
  const values = [...new Set(found.map((value) => shortText(String(value))))];
  return {
    completion: {
      values: values.slice(0, MAX_VALUES),
      total: values.length,
      hasMore: values.length > MAX_VALUES,
    },
  };
}

const NO_VALUES: Finder = () => [];

function finderOf(ref: CompleteRequestParams['ref'], name: string, { access }: ToolScope): Finder {
  if (ref.type === 'ref/prompt') {
    const names = argumentsOf(ref.name, access);
    if (names === null) throw invalidParams(`Unknown prompt: ${ref.name.slice(0, 100)}`);
    return names.includes(name) ? (PROMPT_ARGUMENTS[name] ?? NO_VALUES) : NO_VALUES;
  }
  const resource = TEMPLATE_ARGUMENTS.get(ref.uri);
  if (resource === undefined)
    throw invalidParams('Unknown resource template: send one of resources/templates/list');
  return resource.argument === name ? resource.find : NO_VALUES;
}

/** Finds live matches by the first digits of their ids, all of them for an empty text; else the latest matches of teams by name. */
function matchIds(typed: string, scope: ToolScope): Values {
  if (!hasTool(scope, getMatch)) return [];
  if (typed === '' || DIGITS.test(typed))
    return hasTool(scope, liveBoard)
      ? startingWith(
          typed,
          liveMatches(scope, MAX_VALUES).map(({ state }) => state.event_id),
        )
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
    const { standings_list } = dataOf<'standings.index'>(
      scope.data.standingsList(SEARCHED_PAGE, scope.access),
    );
    return startingWith(
      typed,
      standings_list.map(({ id }) => id),
    );
  }
  const seasons = competitions(typed, scope)
    .slice(0, MAX_NAMES)
    .flatMap(({ id }) => scope.queries.seasons(id, scope.access).filter(({ current }) => current));
  return seasons.flatMap(({ id }) =>
    tablesOf(id, { limit: MAX_VALUES, page: 1 }, scope).entries.map((table) => table.id),
  );
}

/** Finds competitions by a part of their name, best first; all for an empty text. */
function competitions(
  typed: string,
  scope: ToolScope,
): readonly { readonly id: number; readonly name: string }[] {
  if (!hasTool(scope, listCompetitions)) return [];
  if (typed !== '') return scope.queries.competitions(typed, scope.access);
  const { competitions: all } = dataOf<'competitions.index'>(
    scope.data.competitions(SEARCHED_PAGE, scope.access),
  );
  return all.filter(({ name }) => name !== '');
}

function startingWith(typed: string, ids: readonly number[]): Values {
  return ids.filter((id) => String(id).startsWith(typed));
}

function hasTool({ access }: ToolScope, { operations }: Tool): boolean {
  return covers(access, operations);
}
