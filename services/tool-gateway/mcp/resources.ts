/** The resources of the endpoint: documents (the client's contract, the REST contract, catalogues of ids), tables, live matches. */
import { type Resource, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { RestError } from '#contract/rest/errors.ts';
import { openApi } from '#contract/rest/openapi.ts';
import { covers, type OperationName } from '#contract/rest/operations.ts';
import type { Access, CatalogueQuery, ProviderData } from '#contract/rest/provider.ts';
import { dataOf, titleOf } from './tools/common.ts';
import { getMatch, wholeMatch } from './tools/match.ts';
import { liveMatches } from './tools/matches.ts';
import { getStandings } from './tools/standings.ts';
import { invalidParams, shortTexts, ToolError, type ToolScope } from './tools/tool.ts';
import { toolsOf } from './tools.ts';
import { MATCH_TEMPLATE, matchUri, parseUri, TABLE_TEMPLATE, tableUri } from './uris.ts';

const JSON_TYPE = 'application/json';
const PAGE_SIZE = 100;
const MAX_LIVE = 50;
const CURSOR = /^[1-9][0-9]{0,6}$/;

/** URI templates of resources that are too many to list, or that are listed only while a match is live. */
export const TEMPLATES = [
  [MATCH_TEMPLATE, 'match', 'A match', 'The answer of get_match with the whole timeline.'],
  [TABLE_TEMPLATE, 'table', 'A table', 'A table in the shape of the REST contract.'],
].map(([uriTemplate = '', name = '', title, about]) => {
  const description = `${about} Subscribe to it to be notified of each change.`;
  return { uriTemplate, name, title, description, mimeType: JSON_TYPE };
});

function resource(uri: string, name: string, title: string, description: string): Resource {
  return { uri, name, title, description, mimeType: JSON_TYPE };
}

/** Returns a page of tables, on the first after documents and live matches. Throws `ProtocolError` for an invalid cursor. */
export function listResources(
  documents: readonly ContractDocument[],
  scope: ToolScope,
  cursor: string | undefined,
): { resources: Resource[]; nextCursor?: string } {
  if (cursor !== undefined && !CURSOR.test(cursor))
    throw invalidParams('Invalid cursor: send nextCursor of a list unchanged');
  const page = Number(cursor ?? 1);
  const readable = readableDocuments(documents, scope.access).map(
    ({ operations: _operations, read: _read, ...listed }) => listed,
  );
  const first = page === 1 ? [...readable, ...liveResources(scope)] : [];
  if (!covers(scope.access, getStandings.operations)) return { resources: shortTexts(first) };
  const answer = scope.data.standingsList({ limit: PAGE_SIZE, page }, scope.access);
  const { standings_list } = dataOf<'standings.index'>(answer);
  const tables = standings_list.map(({ id, name, type_name }) =>
    resource(tableUri(id), `table-${id}`, name, type_name),
  );
  const more = page * PAGE_SIZE < (answer.total ?? 0);
  return { resources: shortTexts([...first, ...tables]), ...(more ? { nextCursor: String(page + 1) } : {}) };
}

/** Returns a resource as JSON text. Throws `ResourceNotFoundError` for one that is unknown or outside the contract. */
export function readResource(documents: readonly ContractDocument[], scope: ToolScope, uri: string): string {
  const { access } = scope;
  const found = readableDocuments(documents, access).find((document) => document.uri === uri);
  if (found !== undefined) return found.read(access);
  const named = parseUri(uri);
  try {
    if (named?.kind === 'match' && covers(access, getMatch.operations))
      return JSON.stringify(shortTexts(wholeMatch(named.id, scope)));
    if (named?.kind === 'table' && covers(access, ['standings.show']))
      return JSON.stringify(shortTexts(dataOf<'standings.show'>(scope.data.standings(named.id, access))));
  } catch (error) {
    if (!(error instanceof RestError || error instanceof ToolError)) throw error;
    if (error.code === 'NOT_SERVED') throw new ResourceNotFoundError(uri, error.message);
  }
  throw new ResourceNotFoundError(uri);
}

export function liveResources(scope: ToolScope): Resource[] {
  if (!covers(scope.access, [...getMatch.operations, 'livescore.index'])) return [];
  return liveMatches(scope, MAX_LIVE).map(({ state }) => {
    const competition = scope.queries.levelName('competition', state.competition_id);
    const id = state.event_id;
    return resource(matchUri(id), `match-${id}`, titleOf(state), competition ?? 'A live match');
  });
}

/** A document that is served as a resource. */
export type ContractDocument = Resource & {
  /** Operations that a client's contract needs to read it. */
  readonly operations: readonly OperationName[];
  /** JSON text. */
  read(access: Access): string;
};

const WHOLE_CATALOGUE: CatalogueQuery = { limit: 100_000, page: 1 };
const INCIDENT_TYPES = 'Ids and names of incident types, and which interrupt play or matter to traders.';
const OF_CLIENT = 'What your contract covers: competitions, REST operations, tools.';
const OF_REST = 'OpenAPI document of the REST interface to the same data.';
const TABLE_TYPES = 'Types of tables with the codes of their columns.';
const CATALOGUES = [
  ['statuses', 'Statuses', 'Ids and names of statuses.', 'statuses.index', 'statuses'],
  ['incident-types', 'Incident types', INCIDENT_TYPES, 'incidents.index', 'incidentTypes'],
  ['standings-types', 'Types of tables', TABLE_TYPES, 'standings-types.index', 'standingsTypes'],
] as const;

/** Returns all documents, in the order of the list. `version` is that of the service. */
export function documentsOf(data: ProviderData, version: string): readonly ContractDocument[] {
  /** Made for its first reader: most processes have none. */
  let rest: string | undefined;
  const document = (
    name: string,
    title: string,
    description: string,
    operations: readonly OperationName[],
    read: ContractDocument['read'],
  ) => ({ ...resource(`touchline://documents/${name}`, name, title, description), operations, read });
  return [
    document('contract', 'Your contract', OF_CLIENT, [], (access) => JSON.stringify(contractOf(access))),
    document('openapi', 'The REST contract', OF_REST, [], () => {
      rest ??= JSON.stringify(openApi({ version }));
      return rest;
    }),
    ...CATALOGUES.map(([name, title, description, operation, catalogue]) =>
      document(name, title, description, [operation], () => data[catalogue](WHOLE_CATALOGUE).data.toString()),
    ),
  ];
}

export function readableDocuments(
  documents: readonly ContractDocument[],
  access: Access,
): ContractDocument[] {
  return documents.filter(({ operations }) => covers(access, operations));
}

function contractOf(access: Access) {
  const { competitions, contracted } = access;
  return {
    client_id: access.clientId,
    competitions: idsOf(contracted === undefined ? competitions : contracted),
    ...(contracted === undefined ? {} : { served_here: idsOf(competitions) }),
    operations: access.operations === null ? 'all' : [...access.operations].sort(),
    tools: toolsOf(access).map(({ name }) => name),
  };
}

function idsOf(competitions: Access['competitions']): 'all' | number[] {
  return competitions === null ? 'all' : [...competitions].sort((a, b) => a - b);
}
