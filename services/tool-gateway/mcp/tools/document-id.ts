/** Ids and links of what search finds and fetch returns. */
import { matchUri } from '../uris.ts';
import type { ToolScope } from './tool.ts';

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
