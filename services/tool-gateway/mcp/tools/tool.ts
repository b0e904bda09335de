/** The definition of a tool: typed input, structured output, and errors that an assistant can act on. */
import { z } from 'zod';
import { RestError } from '#contract/rest/errors.ts';
import type { OperationName } from '#contract/rest/operations.ts';
import type { Access, Paging, ProviderData } from '#contract/rest/provider.ts';
import { defineError } from '#errors/touchline-error.ts';
import { servedWords } from '#views/queries/access.ts';
import type { ToolQueries } from '#views/queries/tool-queries.ts';
import { shortTexts } from './foreign-text.ts';
import { readArguments } from './given-arguments.ts';
import { type JsonObjectSchema, objectSchema } from './json-schema.ts';
import { unknownArgument } from './unknown-arguments.ts';

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

/** Maximum number of unknown arguments that a refusal names. */
const MAX_UNKNOWN = 5;
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
  const { name, title, description, operations, missing, pageSize } = definition;
  const paging = pageSize === null ? {} : pagingOf(pageSize);
  // Ignoring an unknown argument would answer another question.
  const input = definition.input.extend(paging).strict();
  const output = pageSize === null ? definition.output : definition.output.extend(pageInfo);
  const known = Object.keys(input.shape);
  return {
    name,
    title,
    description,
    operations,
    inputSchema: objectSchema(input, 'input'),
    outputSchema: objectSchema(output, 'output'),
    call(args, scope) {
      const parsed = input.safeParse(readArguments(args, input.shape));
      if (!parsed.success) throw new ToolError('INVALID_ARGUMENTS', problemsOf(parsed.error, known));
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
  switch (error.code) {
    case 'NOT_FOUND':
      return new ToolError('NOT_FOUND', missing, error);
    case 'NOT_SERVED':
      return new ToolError(
        'NOT_SERVED',
        `${error.message}. It may belong to another one, or be unknown.`,
        error,
      );
    case 'FORBIDDEN':
      return new ToolError(
        'OUTSIDE_CONTRACT',
        'Your contract does not cover that competition. Call list_competitions for those it covers.',
        error,
      );
    case 'INVALID_PARAMETER':
      return new ToolError(
        'INVALID_ARGUMENTS',
        'date_to is before date_from, or more than 31 days after it. Send fewer days, or a competition, season or team.',
        error,
      );
    default:
      return error;
  }
}

/** Describes every invalid argument. */
function problemsOf(error: z.ZodError, known: readonly string[]): string {
  const lines = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.slice(0, MAX_UNKNOWN).map((name) => unknownArgument(name, known))
      : [`${issue.path.join('.') || 'arguments'}: ${issue.message}`],
  );
  return `Call again with other arguments. ${lines.join('. ')}.`;
}
