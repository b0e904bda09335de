/** URIs of resources, and the ids and links of what search finds. */
import type { ToolScope } from './tools/tool.ts';

const RECORD = /^touchline:\/\/(matches|standings)\/([1-9][0-9]{0,15})$/;

export const MATCH_TEMPLATE = 'touchline://matches/{match_id}';
export const TABLE_TEMPLATE = 'touchline://standings/{standings_id}';

export const matchUri = (id: number): string => `touchline://matches/${id}`;
export const tableUri = (id: number): string => `touchline://standings/${id}`;

/** Parses the URI of a match or table. Null for any other text. */
export function parseUri(uri: string): { readonly kind: 'match' | 'table'; readonly id: number } | null {
  const [, kind, id] = RECORD.exec(uri) ?? [];
  return kind === undefined ? null : { kind: kind === 'matches' ? 'match' : 'table', id: Number(id) };
}

export type DocumentKind = 'team' | 'competition' | 'match';

const ID = /^(team|competition|match)-([1-9][0-9]{0,15})$/;

export function documentId(kind: DocumentKind, id: number): string {
  return `${kind}-${id}`;
}

/** Parses an id; a number alone is a match. Null for any other text. */
export function parseDocumentId(text: string): { readonly kind: DocumentKind; readonly id: number } | null {
  const [, kind, id] = ID.exec(/^[0-9]+$/.test(text) ? documentId('match', Number(text)) : text) ?? [];
  return kind === undefined ? null : { kind: kind as DocumentKind, id: Number(id) };
}

/** Returns the page of the board, where its address is known, else the URI of the resource. */
export function linkOf(kind: DocumentKind, id: number, { boardUrl }: Pick<ToolScope, 'boardUrl'>): string {
  if (boardUrl === null) return kind === 'match' ? matchUri(id) : `touchline://${kind}s/${id}`;
  if (kind === 'match') return `${boardUrl}/match/${id}`;
  return kind === 'competition' ? `${boardUrl}/?competition=${id}` : `${boardUrl}/`;
}
