/** Writes the envelope of every answer (spec, "Response envelope"), as text around JSON text. */
import { REST_ERRORS, type RestErrorCode } from './errors.ts';
import type { OperationInfo } from './operation.ts';
import type { Paging } from './provider.ts';

/** The text after the data. */
export const ENVELOPE_END = '}}';

type EnvelopeFacts = {
  readonly version: string;
  /** Unix seconds. */
  readonly now: number;
  readonly operation: OperationInfo;
  readonly total: number;
  /** URLs; '' if there is no such page, as in an answer without a list. */
  readonly previousPage?: string;
  readonly nextPage?: string;
  readonly parameters: Readonly<Record<string, string>>;
};

/** Returns the text before the data. */
export function envelopeStart(facts: EnvelopeFacts): string {
  const { version, now, operation, total, previousPage = '', nextPage = '', parameters } = facts;
  const name = `"${operation.name}"`;
  return (
    `{"api":{"ver":"${version}","timestamp":${now},"method":{"name":${name},"details":${name},` +
    `"total_items":${total},"previous_page":${JSON.stringify(previousPage)},` +
    `"next_page":${JSON.stringify(nextPage)},"parameters":${JSON.stringify(parameters)}},"data":`
  );
}

/** Returns the body of an error answer. It repeats no parameter and no value of the request. */
export function errorBody(
  code: RestErrorCode,
  version: string,
  now: number,
  message: string = REST_ERRORS[code].message,
): string {
  const { internalCode } = REST_ERRORS[code];
  return JSON.stringify({
    api: { ver: version, timestamp: now, error: { message, internal_code: internalCode } },
  });
}

/** Returns the numbers of the previous and the next page; null if there is no such page. */
export function neighbours({ limit, page }: Paging, total: number) {
  const last = Math.max(1, Math.ceil(total / limit));
  return { previous: page > 1 ? Math.min(page - 1, last) : null, next: page < last ? page + 1 : null };
}

/** Returns the path of an operation with its id and a query of these parameters, relative to the base URL. */
export function pathAndQuery(
  operation: OperationInfo,
  id: number | null,
  query: Readonly<Record<string, string | number>>,
): string {
  const path = operation.path.replace('{id}', String(id));
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}
