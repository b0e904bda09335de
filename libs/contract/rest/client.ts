/** The client side of the contract: makes URLs and reads the answer of the token operation. Callers send and retry. */
import type { z } from 'zod';
import type { CodeOf } from '#errors/catalogue.ts';
import { defineError } from '#errors/touchline-error.ts';
import { pathAndQuery } from './envelope.ts';
import { type OperationName, operationNamed, TOKEN_OPERATION } from './operations.ts';
import { readEnvelope } from './records/envelope.ts';

/** A request to a provider, without credentials. */
export type OperationRequest = {
  readonly operation: OperationName;
  /** The id in the path, if the operation has one. */
  readonly id?: number;
  readonly query: Readonly<Record<string, string | number>>;
};

/** Returns the URL of a request below `baseUrl` (without a trailing slash). It contains the token: only for sending. */
export function requestUrl(baseUrl: string, request: OperationRequest, token: string): string {
  const { operation, id = 0, query } = request;
  return baseUrl + pathAndQuery(operationNamed(operation), id, { ...query, token });
}

/** Returns the URL of the token operation. It contains the secret: only for sending. */
export function tokenUrl(baseUrl: string, clientId: string, secretKey: string): string {
  return baseUrl + pathAndQuery(TOKEN_OPERATION, 0, { client_id: clientId, secret_key: secretKey });
}

/** An answer that does not match the contract. The message names the operation and the paths of the fields, but no value. */
export class AnswerError extends defineError('AnswerError') {
  constructor(code: CodeOf<'AnswerError'>, operation: OperationName, issues: z.core.$ZodIssue[]) {
    const paths = issues.slice(0, 3).map((issue) => issue.path.map(String).join('.') || 'the whole');
    super(code, `the answer of ${operation} does not match the contract at ${paths.join(', ')}`);
  }
}

/** Returns the client id in the JSON of a successful answer of the token operation. Throws `AnswerError`. */
export function clientIdIn(json: unknown): string {
  const { name, data } = TOKEN_OPERATION;
  const envelope = readEnvelope.safeParse(json);
  if (!envelope.success) throw new AnswerError('NOT_AN_ENVELOPE', name, envelope.error.issues);
  const read = data.safeParse(envelope.data.api.data);
  if (!read.success) throw new AnswerError('UNEXPECTED_DATA', name, read.error.issues);
  return read.data.client_id;
}
