/**
 * The client side of the contract: addresses, and lenient parsing of providers' answers. Pure: sending, waiting and
 * retrying are the caller's.
 */

import { z } from 'zod';
import type { CodeOf } from '#errors/catalogue.ts';
import { TouchlineError } from '#errors/touchline-error.ts';
import { pathAndQuery } from './envelope.ts';
import { type OperationData, type OperationName, operationNamed } from './operations.ts';
import { readEnvelope } from './records/envelope.ts';
import { READINGS } from './records.ts';

/** A request to a provider, without credentials. */
export type OperationRequest<N extends OperationName = OperationName> = {
  readonly operation: N;
  /** The id in the path, where the operation has one. */
  readonly id?: number;
  readonly query?: Readonly<Record<string, string | number>>;
};

/** An address in two forms. */
export type RequestUrl = {
  /** With the token, only for sending. */
  readonly href: string;
  /** Without the token, for logs and errors. */
  readonly shown: string;
};

/** The address of a request below `baseUrl` (without a trailing slash). An open operation needs no token. */
export function requestUrl(baseUrl: string, request: OperationRequest, token: string | null): RequestUrl {
  const operation = operationNamed(request.operation);
  const query = request.query ?? {};
  const secret = token === null ? query : { ...query, token };
  return {
    href: baseUrl + pathAndQuery(operation, request.id ?? null, secret),
    shown: baseUrl + pathAndQuery(operation, request.id ?? null, query),
  };
}

/** The address of the token operation, with the secret in it. `shown` has neither secret nor token. */
export function tokenUrl(baseUrl: string, clientId: string, secretKey: string): RequestUrl {
  const operation = operationNamed('oauth');
  return {
    href: baseUrl + pathAndQuery(operation, null, { client_id: clientId, secret_key: secretKey }),
    shown: baseUrl + pathAndQuery(operation, null, {}),
  };
}

/** The parts of an answer that every client needs. */
export type ProviderAnswer<D> = {
  /** The provider's clock when it answered, Unix seconds. */
  readonly timestamp: number;
  /** Items over all pages; null where the provider does not say. */
  readonly total: number | null;
  /** Null on the last page. May contain a token. */
  readonly nextPage: string | null;
  /** The effective parameters that are simple values. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly data: D;
};

/** An answer that does not match the contract. Its message names the operation and the places, and no value. */
export class AnswerError extends TouchlineError<'AnswerError'> {
  override readonly name = 'AnswerError';

  constructor(code: CodeOf<'AnswerError'>, operation: OperationName, issues: z.core.$ZodIssue[]) {
    const places = issues.slice(0, 3).map((issue) => issue.path.map(String).join('.') || 'the whole');
    super(code, `the answer of ${operation} does not match the contract at ${places.join(', ')}`);
  }
}

const simple = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const dataSchemas = new Map<OperationName, z.ZodType>();

function dataSchema(name: OperationName): z.ZodType {
  const made = dataSchemas.get(name) ?? operationNamed(name).data(READINGS);
  dataSchemas.set(name, made);
  return made;
}

/** Parses the JSON of a 200 answer. Keeps unknown fields. Throws AnswerError. */
export function parseAnswer<N extends OperationName>(
  operation: N,
  json: unknown,
): ProviderAnswer<OperationData<N>> {
  const envelope = readEnvelope.safeParse(json);
  if (!envelope.success) throw new AnswerError('NOT_AN_ENVELOPE', operation, envelope.error.issues);
  const { timestamp, method, data } = envelope.data.api;
  const read = dataSchema(operation).safeParse(data);
  if (!read.success) throw new AnswerError('UNEXPECTED_DATA', operation, read.error.issues);
  return {
    timestamp,
    total: typeof method.total_items === 'number' ? method.total_items : null,
    nextPage: method.next_page || null,
    parameters: textsOf(method.parameters),
    data: read.data as OperationData<N>,
  };
}

function textsOf(parameters: unknown): Record<string, string> {
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) return {};
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(parameters)) {
    if (simple.safeParse(value).success) texts[name] = String(value);
  }
  return texts;
}
