/** The definition of a tool: typed input, structured output, and errors that an assistant can act on. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { RestError, type RestErrorCode } from '#contract/rest/errors.ts';
import type { OperationName } from '#contract/rest/operations.ts';
import type { Access, Paging, ProviderData } from '#contract/rest/provider.ts';
import { object } from '#domain/values.ts';
import type { CodeOf } from '#errors/catalogue.ts';
import { defineError } from '#errors/touchline-error.ts';
import { shortText } from '#json/short-text.ts';
import { servedWords } from '#views/queries/access.ts';
import type { ToolQueries } from '#views/queries/tool-queries.ts';

/** Data that a call of a tool may use, and the caller's contract. */
export type ToolScope = {
  readonly data: ProviderData;
  readonly queries: ToolQueries;
  readonly access: Access;
  /** Unix seconds. */
  readonly now: number;
  /** Address of the live board without a slash at its end, for links; null: unknown. */
  readonly boardUrl: string | null;
};

/** Thrown to refuse a call. Its message tells an assistant what is wrong, and what to do about it. */
export class ToolError extends defineError('ToolError') {}

/** The message for a client of any error that neither it nor its contract caused. */
export const SERVER_FAILED = 'The server failed. Try again later.';

/** Creates the protocol's error for invalid parameters. */
export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** A tool as it is listed and called. */
export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Operations that it answers from: a client whose contract lacks one of them does not have the tool. */
  readonly operations: readonly OperationName[];
  /** JSON Schema 2020-12. */
  readonly inputSchema: JsonObjectSchema;
  readonly outputSchema: JsonObjectSchema;
  /** Returns the structured content of the answer. Throws `ToolError`. */
  call(args: unknown, scope: ToolScope): Record<string, unknown>;
};

/** Maximum number of items in a page: an answer must fit into a conversation. */
const MAX_ITEMS = 50;

/** Fields of every answer: items of all pages, and the next `page` to send. The server's instructions describe them. */
const pageInfo = { total: z.int(), next_page: z.int().nullable() };

type Definition<I extends z.ZodObject, O extends z.ZodObject> = Pick<
  Tool,
  'name' | 'title' | 'description' | 'operations'
> & {
  readonly input: I;
  readonly output: O;
  /** Default number of items in a page; null: the answer has no pages. */
  readonly pageSize: number | null;
  /** Message for an unknown record: names the tool that finds ids. */
  readonly missing: string;
  answer(args: z.output<I> & Paging, scope: ToolScope): z.input<O> & { readonly total?: number };
};

/** Creates a tool with paging, validation of arguments, and errors of REST as `ToolError`. */
export function tool<I extends z.ZodObject, O extends z.ZodObject>(definition: Definition<I, O>): Tool {
  const { missing, pageSize } = definition;
  // Ignoring an unknown argument would answer another question.
  const input = definition.input.extend(pageSize === null ? {} : pagingOf(pageSize)).strict();
  const output = definition.output.extend(pageSize === null ? {} : pageInfo);
  return {
    ...definition,
    inputSchema: objectSchema(input, 'input'),
    outputSchema: objectSchema(output, 'output'),
    call(args, scope) {
      const parsed = input.safeParse(readArguments(args, input.shape));
      if (!parsed.success) throw invalidArguments(parsed.error, Object.keys(input.shape));
      try {
        const { limit, page } = parsed.data as Paging;
        const answer = definition.answer(parsed.data as z.output<I> & Paging, scope);
        const next_page = page * limit < (answer.total ?? 0) ? page + 1 : null;
        return shortTexts(output.parse({ ...answer, next_page }));
      } catch (error) {
        throw asToolError(error, missing, scope.access);
      }
    },
  };
}

function pagingOf(pageSize: number) {
  return {
    limit: z.int().min(1).max(MAX_ITEMS).default(pageSize),
    page: z.int().min(1).max(100_000).default(1),
  };
}

function asToolError(error: unknown, missing: string, access: Access): unknown {
  if (error instanceof ToolError && error.code === 'NOT_FOUND') {
    const served = servedWords(access);
    return served === null
      ? error
      : new ToolError('NOT_FOUND', `${error.message} This server serves ${served}.`, error);
  }
  if (!(error instanceof RestError)) return error;
  const refusals: { readonly [code in RestErrorCode]?: readonly [CodeOf<'ToolError'>, string] } = {
    NOT_FOUND: ['NOT_FOUND', missing],
    NOT_SERVED: ['NOT_SERVED', `${error.message}. It may belong to another one, or be unknown.`],
    FORBIDDEN: [
      'OUTSIDE_CONTRACT',
      'Your contract does not cover that competition. Call list_competitions for those it covers.',
    ],
    INVALID_PARAMETER: [
      'INVALID_ARGUMENTS',
      'date_to is before date_from, or more than 31 days after it. Send fewer days, or a competition, season or team.',
    ],
  };
  const refusal = refusals[error.code];
  return refusal === undefined ? error : new ToolError(...refusal, error);
}

/** Names every invalid argument, and those that the tool has. */
function invalidArguments({ issues }: z.ZodError, known: readonly string[]): ToolError {
  const problems = issues.map(
    (issue) => `${issue.path.join('.') || 'arguments'}: ${shortText(issue.message)}`,
  );
  return new ToolError(
    'INVALID_ARGUMENTS',
    `Call again with other arguments of ${known.join(', ')}. ${problems.join('. ')}.`,
  );
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * Returns the arguments as a tool's schema has them: leaves out null and empty text of an optional argument; converts text to a number, a
 * number to text, and a word to lower case. Returns any other value unchanged, to be refused.
 */
export function readArguments(given: unknown, shape: Readonly<Record<string, z.ZodType>>): unknown {
  const values = object(given);
  if (values === null) return given ?? {};
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (schema === undefined) return [[name, value]];
      const isEmpty = value === null || (typeof value === 'string' && value.trim() === '');
      if (isEmpty && schema.safeParse(undefined).success) return [];
      return [[name, readValue(value, schema)]];
    }),
  );
}

function readValue(value: unknown, schema: z.ZodType): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return readValue(value, schema.unwrap() as z.ZodType);
  if (typeof value === 'number') return schema.type === 'string' ? String(value) : value;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (schema.type === 'number' && NUMBER.test(text)) return Number(text);
  return schema.type === 'enum' ? text.toLowerCase() : value;
}

type JsonObjectSchema = { readonly type: 'object' } & Readonly<Record<string, unknown>>;

/**
 * Returns the JSON Schema that every assistant's client takes: some refuse a list in `type`, other formats, or
 * `additionalProperties`. Answers' schemas lack `required`, a tenth of the list (docs/reference/mcp.md).
 */
function objectSchema(schema: z.ZodObject, io: 'input' | 'output'): JsonObjectSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io });
  return JSON.parse(JSON.stringify(json), (_name, node) =>
    object(node) === null ? node : compact(node, io),
  );
}

function compact(node: Record<string, unknown>, io: 'input' | 'output'): unknown {
  // A schema that another tool of the list has.
  if (typeof node.sameAs === 'string') return { type: 'object', description: `As in ${node.sameAs}.` };
  // Removes the bounds that every integer has, and keywords that a reader of answers does not need.
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  if (typeof node.additionalProperties === 'boolean' || io === 'output') delete node.additionalProperties;
  if (io === 'output' && Array.isArray(node.required)) delete node.required;
  // The description names the form of a date; its pattern is a hundred characters.
  if (typeof node.format === 'string') delete node.pattern;
  if (node.format !== 'date-time') delete node.format;
  if (!Array.isArray(node.type)) return node;
  const { type: types, description, ...rest } = node;
  const anyOf = types.map((type) => (type === 'null' ? { type } : { type, ...rest }));
  return description === undefined ? { anyOf } : { anyOf, description };
}

/** Fields whose text is Touchline's own, or consists of texts that were cut before. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['act', 'hint', 'text', 'url']);

/** Returns a copy of JSON data in which `shortText` cut every text, also of fields that are added later. */
export function shortTexts<T>(data: T): T {
  return JSON.parse(JSON.stringify(data), (name, value) =>
    typeof value === 'string' && !OWN_FIELDS.has(name) ? shortText(value) : value,
  );
}
