/** The resources of the endpoint: documents (the client's contract, the REST contract, catalogues of ids), tables, live matches. */
import { type Resource, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { RestError } from '#contract/rest/errors.ts';
import { openApi } from '#contract/rest/openapi.ts';
import { covers, type OperationName } from '#contract/rest/operations.ts';
import type { Access, CatalogueQuery, ProviderData } from '#contract/rest/provider.ts';
import { invalidParams } from './answers.ts';
import { dataOf, titleOf } from './tools/common.ts';
import { getMatch, wholeMatch } from './tools/match.ts';
import { liveMatches } from './tools/matches.ts';
import { getStandings } from './tools/standings.ts';
import { shortTexts, ToolError, type ToolScope } from './tools/tool.ts';
import { toolsOf } from './tools.ts';
import { documentUri, MATCH_TEMPLATE, matchUri, parseUri, TABLE_TEMPLATE, tableUri } from './uris.ts';

const JSON_TYPE = 'application/json';
/** Number of tables in a page of the list. */
const PAGE_SIZE = 100;
/** Maximum number of live matches in the list. */
const MAX_LIVE = 50;
const CURSOR = /^[1-9][0-9]{0,6}$/;

/** URI templates of resources that are too many to list, or that are listed only while a match is live. */
export const TEMPLATES = [
  {
    uriTemplate: MATCH_TEMPLATE,
    name: 'match',
    title: 'A match',
    description:
      'The answer of get_match with the whole timeline. Subscribe to it to be notified of each change.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: TABLE_TEMPLATE,
    name: 'table',
    title: 'A table',
    description: 'A table in the shape of the REST contract. Subscribe to it to be notified of each change.',
    mimeType: JSON_TYPE,
  },
];

/** Returns a page of tables, on the first after documents and live matches. Throws `ProtocolError` for an invalid cursor. */
export function listResources(
  documents: readonly ContractDocument[],
  scope: ToolScope,
  cursor: string | undefined,
): { resources: Resource[]; nextCursor?: string } {
  if (cursor !== undefined && !CURSOR.test(cursor))
    throw invalidParams('Invalid cursor: send nextCursor of a list unchanged');
  const page = Number(cursor ?? 1);
  const readable = readableDocuments(documents, scope.access).map(({ name, title, description }) => ({
    uri: documentUri(name),
    name,
    title,
    description,
    mimeType: JSON_TYPE,
  }));
  const first = page === 1 ? [...readable, ...liveResources(scope)] : [];
  if (!covers(scope.access, getStandings.operations)) return { resources: shortTexts(first) };
  const answer = scope.data.standingsList({ limit: PAGE_SIZE, page }, scope.access);
  const { standings_list } = dataOf<'standings.index'>(answer);
  const tables = standings_list.map(({ id, name, type_name }) => ({
    uri: tableUri(id),
    name: `table-${id}`,
    title: name,
    description: type_name,
    mimeType: JSON_TYPE,
  }));
  const more = page * PAGE_SIZE < (answer.total ?? 0);
  return { resources: shortTexts([...first, ...tables]), ...(more ? { nextCursor: String(page + 1) } : {}) };
}

/** Returns a resource as JSON text. Throws `ResourceNotFoundError` for one that is unknown or outside the contract. */
export function readResource(documents: readonly ContractDocument[], scope: ToolScope, uri: string): string {
  const named = parseUri(uri);
  const { access } = scope;
  try {
    if (named?.kind === 'document') {
      const found = readableDocuments(documents, access).find(({ name }) => name === named.name);
      if (found !== undefined) return found.read(access);
    } else if (named?.kind === 'match' && covers(access, getMatch.operations)) {
      return JSON.stringify(shortTexts(wholeMatch(named.id, scope)));
    } else if (named?.kind === 'table' && covers(access, ['standings.show'])) {
      return JSON.stringify(shortTexts(dataOf<'standings.show'>(scope.data.standings(named.id, access))));
    }
  } catch (error) {
    if (!(error instanceof RestError || error instanceof ToolError)) throw error;
    if (error.code === 'NOT_SERVED') throw new ResourceNotFoundError(uri, error.message);
  }
  throw new ResourceNotFoundError(uri);
}

/** Returns the live matches of the list. */
export function liveResources(scope: ToolScope): Resource[] {
  if (!covers(scope.access, [...getMatch.operations, 'livescore.index'])) return [];
  return liveMatches(scope, MAX_LIVE).map(({ state }) => ({
    uri: matchUri(state.event_id),
    name: `match-${state.event_id}`,
    title: titleOf(state),
    description: scope.queries.levelName('competition', state.competition_id) ?? 'A live match',
    mimeType: JSON_TYPE,
  }));
}

/** A document that is served as a resource. */
export type ContractDocument = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Operations that a client's contract needs to read it. */
  readonly operations: readonly OperationName[];
  /** JSON text. */
  read(access: Access): string;
};

const WHOLE_CATALOGUE: CatalogueQuery = { limit: 100_000, page: 1 };

/** Returns all documents, in the order of the list. `version` is that of the service. */
export function documentsOf(data: ProviderData, version: string): readonly ContractDocument[] {
  const rest = JSON.stringify(openApi({ version }));
  return [
    {
      name: 'contract',
      title: 'Your contract',
      description: 'What your contract covers: competitions, REST operations, tools.',
      operations: [],
      read: (access) => JSON.stringify(contractOf(access)),
    },
    {
      name: 'openapi',
      title: 'The REST contract',
      description: 'OpenAPI document of the REST interface to the same data.',
      operations: [],
      read: () => rest,
    },
    {
      name: 'statuses',
      title: 'Statuses',
      description: 'Ids and names of statuses.',
      operations: ['statuses.index'],
      read: () => data.statuses(WHOLE_CATALOGUE).data.toString(),
    },
    {
      name: 'incident-types',
      title: 'Incident types',
      description: 'Ids and names of incident types, and which interrupt play or matter to traders.',
      operations: ['incidents.index'],
      read: () => data.incidentTypes(WHOLE_CATALOGUE).data.toString(),
    },
    {
      name: 'standings-types',
      title: 'Types of tables',
      description: 'Types of tables with the codes of their columns.',
      operations: ['standings-types.index'],
      read: () => data.standingsTypes(WHOLE_CATALOGUE).data.toString(),
    },
  ];
}

/** Returns the documents that a contract may read. */
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
