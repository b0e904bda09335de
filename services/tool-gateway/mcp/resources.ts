/** The resources of the endpoint: documents, tables, and live matches. */

import { type Resource, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { RestError } from '#contract/rest/errors.ts';
import { covers } from '#contract/rest/operations.ts';
import { invalidParams } from './answers.ts';
import { type ContractDocument, readableDocuments } from './documents.ts';
import { dataOf, titleOf } from './tools/common.ts';
import { shortTexts } from './tools/foreign-text.ts';
import { getMatch, wholeMatch } from './tools/match.ts';
import { liveMatches } from './tools/matches.ts';
import { getStandings } from './tools/standings.ts';
import { ToolError, type ToolScope } from './tools/tool.ts';
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
  const first = page === 1 ? [...documentResources(documents, scope), ...liveResources(scope)] : [];
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

function documentResources(documents: readonly ContractDocument[], { access }: ToolScope): Resource[] {
  return readableDocuments(documents, access).map(({ name, title, description }) => ({
    uri: documentUri(name),
    name,
    title,
    description,
    mimeType: JSON_TYPE,
  }));
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
