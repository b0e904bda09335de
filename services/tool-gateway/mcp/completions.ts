/** What a user who types an argument of a prompt or of a resource may mean: names, and ids by name. */
import { type CompleteRequestParams, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { OperationData } from '#contract/rest/operations.ts';
import { fold } from '#domain/fold.ts';
import { argumentsOf } from './prompts.ts';
import { dataOf, listCompetitions, search } from './tools/catalogue.ts';
import { getMatch } from './tools/match.ts';
import { listMatches, liveBoard, liveMatches } from './tools/matches.ts';
import { listStandings } from './tools/standings.ts';
import { tablesOf } from './tools/table-choice.ts';
import type { Tool, ToolScope } from './tools/tool.ts';
import { covers } from './tools.ts';
import { MATCH_TEMPLATE, TABLE_TEMPLATE } from './uris.ts';

/** The protocol's own bound of one answer. */
const MAX_VALUES = 100;
/** Teams and competitions of a name whose ids are given, and how many of each. */
const MAX_NAMES = 5;
const MAX_IDS = 20;
/** Most tables and competitions that are searched. */
const LOOKED_AT = { limit: 2_000, page: 1 } as const;
const DIGITS = /^\d+$/;

type Values = readonly (string | number)[];

/** How values of an argument are found; `context` has arguments that are filled in already. */
type Finder = (typed: string, scope: ToolScope, context: Readonly<Record<string, string>>) => Values;

const OF_PROMPTS: Readonly<Record<string, Finder>> = {
  team: (typed, scope) =>
    has(scope, search) ? scope.queries.teams(typed, scope.access).map(({ name }) => name) : [],
  competition: (typed, scope) => competitions(typed, scope).map(({ name }) => name),
  season: (typed, scope, { competition = '' }) => {
    const [meant] = competitions(competition, scope);
    if (meant === undefined || competition === '') return [];
    const names = scope.queries.seasons(meant.id, scope.access).flatMap(({ name }) => name ?? []);
    return names.filter((name) => fold(name).includes(fold(typed)));
  },
};

const OF_RESOURCES: Readonly<Record<string, { readonly argument: string; readonly find: Finder }>> = {
  [MATCH_TEMPLATE]: { argument: 'match_id', find: matchIds },
  [TABLE_TEMPLATE]: { argument: 'standings_id', find: tableIds },
};

/** The values that are meant, best first, at most 100 of them. Throws `ProtocolError` for an unknown prompt or resource. */
export function complete({ ref, argument, context }: CompleteRequestParams, scope: ToolScope) {
  const found = finderOf(ref, argument.name, scope)(argument.value.trim(), scope, context?.arguments ?? {});
  const values = [...new Set(found.map(String))];
  return {
    completion: {
      values: values.slice(0, MAX_VALUES),
      total: values.length,
      hasMore: values.length > MAX_VALUES,
    },
  };
}

const NOTHING: Finder = () => [];

function finderOf(ref: CompleteRequestParams['ref'], name: string, { access }: ToolScope): Finder {
  if (ref.type === 'ref/prompt') {
    const names = argumentsOf(ref.name, access);
    if (names === null) throw invalid(`Unknown prompt: ${ref.name.slice(0, 100)}`);
    return names.includes(name) ? (OF_PROMPTS[name] ?? NOTHING) : NOTHING;
  }
  const resource = OF_RESOURCES[ref.uri];
  if (resource === undefined)
    throw invalid('Unknown resource template: send one of resources/templates/list');
  return resource.argument === name ? resource.find : NOTHING;
}

/** Live matches where nothing is typed, and by the first digits of their ids; else the latest matches of teams of that name. */
function matchIds(typed: string, scope: ToolScope): Values {
  if (!has(scope, getMatch)) return [];
  if (typed === '' || DIGITS.test(typed))
    return has(scope, liveBoard)
      ? startingWith(
          typed,
          liveMatches(scope, MAX_VALUES).map(({ state }) => state.event_id),
        )
      : [];
  if (!has(scope, search) || !has(scope, listMatches)) return [];
  const teams = scope.queries.teams(typed, scope.access).slice(0, MAX_NAMES);
  return teams.flatMap(({ id }) => {
    const query = { participant_id: id, limit: MAX_IDS, page: 1 };
    return scope.queries.matches(query, scope.access, 'latest').items.map(({ state }) => state.event_id);
  });
}

/** The tables of the current season of competitions of that name; of all tables where nothing is typed, and by the first digits of their ids. */
function tableIds(typed: string, scope: ToolScope): Values {
  if (!has(scope, listStandings)) return [];
  if (typed === '' || DIGITS.test(typed)) {
    const { standings_list } = dataOf<OperationData<'standings.index'>>(
      scope.data.standingsList(LOOKED_AT, scope.access),
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

/** Competitions of that name, best first; all where nothing is typed. */
function competitions(
  typed: string,
  scope: ToolScope,
): readonly { readonly id: number; readonly name: string }[] {
  if (!has(scope, listCompetitions)) return [];
  if (typed !== '') return scope.queries.competitions(typed, scope.access);
  const { competitions: all } = dataOf<OperationData<'competitions.index'>>(
    scope.data.competitions(LOOKED_AT, scope.access),
  );
  return all.filter(({ name }) => name !== '');
}

function startingWith(typed: string, ids: readonly number[]): Values {
  return ids.filter((id) => String(id).startsWith(typed));
}

function has({ access }: ToolScope, { operations }: Tool): boolean {
  return covers(access, operations);
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
