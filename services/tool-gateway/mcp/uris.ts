/** URIs of resources. */

const MATCH = /^touchline:\/\/matches\/([1-9][0-9]{0,15})$/;
const TABLE = /^touchline:\/\/standings\/([1-9][0-9]{0,15})$/;
const DOCUMENT = /^touchline:\/\/documents\/([a-z-]{1,40})$/;

export const MATCH_TEMPLATE = 'touchline://matches/{match_id}';
export const TABLE_TEMPLATE = 'touchline://standings/{standings_id}';

export const matchUri = (id: number): string => `touchline://matches/${id}`;
export const tableUri = (id: number): string => `touchline://standings/${id}`;
export const documentUri = (name: string): string => `touchline://documents/${name}`;

type NamedResource =
  | { readonly kind: 'match' | 'table'; readonly id: number }
  | { readonly kind: 'document'; readonly name: string };

/** Parses the URI of a resource. Null for any other text. */
export function parseUri(uri: string): NamedResource | null {
  const match = MATCH.exec(uri)?.[1];
  if (match !== undefined) return { kind: 'match', id: Number(match) };
  const table = TABLE.exec(uri)?.[1];
  if (table !== undefined) return { kind: 'table', id: Number(table) };
  const name = DOCUMENT.exec(uri)?.[1];
  return name === undefined ? null : { kind: 'document', name };
}
