/**
 * What a client of a provider needs of the contract: addresses, and answers read as leniently as providers write them.
 * Pure: sending, waiting and trying again are the client's.
 */

import { z } from 'zod';
import type { CodeOf } from '#errors/catalogue.ts';
import { TouchlineError } from '#errors/touchline-error.ts';
import { pathAndQuery } from './envelope.ts';
import { type OperationData, type OperationName, operationNamed } from './operations.ts';
import { readEnvelope } from './records/envelope.ts';
import { READINGS } from './records.ts';

/** What is asked of a provider, without who asks. */
export type ProviderRequest<N extends OperationName = OperationName> = {
  readonly operation: N;
  /** The id in the path, where the operation has one. */
  readonly id?: number;
  readonly query?: Readonly<Record<string, string | number>>;
};

/** An address in two forms. */
export type RequestUrl = {
  /** With the token, for sending and nothing else. */
  readonly href: string;
  /** Without it, for logs and errors. */
  readonly shown: string;
};

/** The address of a request below `baseUrl` (without a slash at its end). An open operation takes no token. */
export function requestUrl(baseUrl: string, request: ProviderRequest, token: string | null): RequestUrl {
  const operation = operationNamed(request.operation);
  const query = request.query ?? {};
  const secret = token === null ? query : { ...query, token };
  return {
    href: baseUrl + pathAndQuery(operation, request.id ?? null, secret),
    shown: baseUrl + pathAndQuery(operation, request.id ?? null, query),
  };
}

/** The address that gives a token: the secret is in it. `shown` has neither. */
export function tokenUrl(baseUrl: string, clientId: string, secretKey: string): RequestUrl {
  const operation = operationNamed('oauth');
  return {
    href: baseUrl + pathAndQuery(operation, null, { client_id: clientId, secret_key: secretKey }),
    shown: baseUrl + pathAndQuery(operation, null, {}),
  };
}

/** An answer as far as every client needs it. */
export type ProviderAnswer<D> = {
  /** The provider's clock when it answered, Unix seconds. */
  readonly timestamp: number;
  /** Items over all pages; null where the provider does not say. */
  readonly total: number | null;
  /** Null where there is none. It may hold a token. */
  readonly nextPage: string | null;
  /** The effective parameters, as far as they are simple values. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly data: D;
};

/** An answer that is not the contract's. Its message names the operation and where it differs, and no value. */
export class AnswerError extends TouchlineError<'AnswerError'> {
  override readonly name = 'AnswerError';

  constructor(code: CodeOf<'AnswerError'>, operation: OperationName, issues: z.core.$ZodIssue[]) {
    const places = issues.slice(0, 3).map((issue) => issue.path.map(String).join('.') || 'the whole');
    super(code, `the answer of ${operation} is not what the contract has at ${places.join(', ')}`);
  }
}

const simple = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const dataSchemas = new Map<OperationName, z.ZodType>();

function dataSchema(name: OperationName): z.ZodType {
  const made = dataSchemas.get(name) ?? operationNamed(name).data(READINGS);
  dataSchemas.set(name, made);
  return made;
}

/** Reads the parsed JSON of a 200 answer. Unknown fields are kept. Throws AnswerError. */
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
