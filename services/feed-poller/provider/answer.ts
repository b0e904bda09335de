import { readEnvelope } from '#contract/rest/records/envelope.ts';
import type { CodeOf } from '#errors/catalogue.ts';
import { defineError } from '#errors/touchline-error.ts';
import { jsonElements } from '#ingestion/json-elements.ts';
import { parseJson, toWholeNumber } from '#json/values.ts';

/** An answer of the provider's REST contract (spec, "Response envelope"): `api.timestamp`, Unix seconds, `api.data` and the count. */
export type FeedAnswer = {
  readonly timestamp: number;
  readonly data: unknown;
  readonly total: number | null;
  /** Query of the next page, without the token; null when this is the last page. */
  readonly next: Readonly<Record<string, string>> | null;
  /** The raw answer: it may contain the token, so it is never stored or logged. */
  readonly body: Buffer;
};

export type ProviderErrorCode = CodeOf<'ProviderError'>;

/** A request to the provider failed. No cause, no address: an error of the HTTP client may hold the URL with its token. */
export class ProviderError extends defineError('ProviderError') {
  /** `operation`: its name in the contract, such as `events.index`. */
  constructor(code: ProviderErrorCode, operation: string, detail: string) {
    super(code, `${operation}: ${detail}`);
  }
}

export function isProviderError(error: unknown, ...codes: ProviderErrorCode[]): error is ProviderError {
  return error instanceof ProviderError && codes.includes(error.code);
}

/** Query parameters that may hold secrets. They are dropped; every request gets the client's token anyway. */
const SECRET_PARAMETERS = ['token', 'client_id', 'secret_key'];

/** Reads the body of an answer 200 of `baseUrl`. Throws `ProviderError` BAD_ANSWER, which names no value of the body. */
export function readAnswer(operation: string, body: Buffer, baseUrl: string): FeedAnswer {
  const bad = (detail: string): ProviderError => new ProviderError('BAD_ANSWER', operation, detail);
  const parsed = parseJson(body.toString('utf8'));
  if (parsed === undefined) throw bad('the answer is not JSON');
  const result = readEnvelope.safeParse(parsed);
  if (!result.success || result.data.api.data === undefined)
    throw bad('the answer does not have the envelope of the contract');
  const { timestamp, data, method } = result.data.api;
  const query = method.next_page ? queryOf(method.next_page, baseUrl) : null;
  if (query === undefined) throw bad('the address of the next page is not on the provider');
  return { timestamp, data, total: toWholeNumber(method.total_items), next: query, body };
}

/** Returns the query of a page of this provider, without secrets; undefined for another host or an invalid address. */
function queryOf(address: string, baseUrl: string): Record<string, string> | undefined {
  const url = URL.parse(address, baseUrl);
  if (url?.origin !== new URL(baseUrl).origin) return undefined;
  const allowed = [...url.searchParams].filter(
    ([name]) => /^[a-z_]+$/.test(name) && !SECRET_PARAMETERS.includes(name),
  );
  return Object.fromEntries(allowed);
}

/** Returns the exact bytes of each item of a list in `api.data`. Only these may be published: the rest echoes the token. */
export function itemBytes({ body, data }: FeedAnswer): Buffer[] {
  if (!Array.isArray(data) || data.length === 0) return [];
  const api = member(body, 'api');
  const list = api === undefined ? undefined : member(api, 'data');
  return list === undefined ? [] : jsonElements(list);
}

/** A member's name; its first bytes hold it, even when each character is escaped. */
const NAME = /^("(?:[^"\\]|\\.)*")\s*:\s*/s;
const NAME_BYTES = 200;

/** Returns the bytes of an object's member; the last one when several have that name, as JSON.parse does. */
function member(object: Buffer, name: string): Buffer | undefined {
  const named = jsonElements(object).flatMap((bytes) => {
    const [head = '', text = '""'] = NAME.exec(bytes.toString('latin1', 0, NAME_BYTES)) ?? [];
    return JSON.parse(text) === name ? [bytes.subarray(head.length)] : [];
  });
  return named.at(-1);
}
