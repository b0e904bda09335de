/** What a tool of the endpoint is made of: typed input, structured output, and errors that an assistant can act on. */
import { z } from 'zod';
import { RestError } from '#contract/rest/errors.ts';
import type { OperationName } from '#contract/rest/operations.ts';
import type { Access, Paging, ProviderData } from '#contract/rest/provider.ts';
import { TouchlineError } from '#errors/touchline-error.ts';
import { servedWords } from '#views/queries/access.ts';
import type { ToolQueries } from '#views/queries/tool-queries.ts';
import { type JsonObjectSchema, objectSchema } from './json-schema.ts';
import { unknownArgument } from './unknown-arguments.ts';

/** What a tool answers from: the queries of REST and of tools, and what the caller may see. */
export type ToolScope = {
  readonly data: ProviderData;
  readonly queries: ToolQueries;
  readonly access: Access;
  /** Unix seconds. */
  readonly now: number;
};

/** The answer to an invalid call, for an assistant: what was wrong, and what to do about it. */
export class ToolError extends TouchlineError<'ToolError'> {
  override readonly name = 'ToolError';
}

/** A tool as it is listed and called. */
export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The operations of the contract that it answers from: a client that lacks one of them does not have the tool. */
  readonly operations: readonly OperationName[];
  /** JSON Schema 2020-12. */
  readonly inputSchema: JsonObjectSchema;
  readonly outputSchema: JsonObjectSchema;
  /** The structured content of the answer. Throws `ToolError`. */
  call(args: unknown, scope: ToolScope): Record<string, unknown>;
};

/** Most unknown arguments that an answer names. */
const MAX_UNKNOWN = 5;
/** Most items of a page: an answer is to fit into a conversation. */
const MAX_ITEMS = 50;

/** Fields of every answer about all pages: items of all, and what to send as `page` for more. The server's instructions say so. */
const pageInfo = { total: z.int(), next_page: z.int().nullable() };

type Definition<I extends z.ZodObject, O extends z.ZodObject> = Pick<
  Tool,
  'name' | 'title' | 'description' | 'operations'
> & {
  readonly input: I;
  readonly output: O;
  /** Items of a page where nothing is said. */
  readonly pageSize: number;
  /** What to do where the contract has no such record: names the tool that finds ids. */
  readonly missing: string;
  answer(args: z.output<I> & Paging, scope: ToolScope): z.input<O> & { readonly total: number };
};

export function tool<I extends z.ZodObject, O extends z.ZodObject>(definition: Definition<I, O>): Tool {
  const { name, title, description, operations, missing, pageSize } = definition;
  const paging = {
    limit: z.int().min(1).max(MAX_ITEMS).default(pageSize),
    page: z.int().min(1).max(100_000).default(1),
  };
  // An ignored unknown argument would give an answer to another question.
  const input = definition.input.extend(paging).strict();
  const output = definition.output.extend(pageInfo);
  const known = Object.keys(input.shape);
  return {
    name,
    title,
    description,
    operations,
    inputSchema: objectSchema(input, 'input'),
    outputSchema: objectSchema(output, 'output'),
    call(args, scope) {
      const parsed = input.safeParse(args ?? {});
      if (!parsed.success) throw new ToolError('INVALID_ARGUMENTS', problemsOf(parsed.error, known));
      try {
        const { limit, page } = parsed.data as Paging;
        const answer = definition.answer(parsed.data as z.output<I> & Paging, scope);
        return output.parse({ ...answer, next_page: page * limit < answer.total ? page + 1 : null });
      } catch (error) {
        throw asToolError(error, missing, scope.access);
      }
    },
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
      return new ToolError('NOT_SERVED', `${error.message}. It may be of another one, or unknown.`, error);
    case 'FORBIDDEN':
      return new ToolError(
        'OUTSIDE_CONTRACT',
        'That competition is not in your contract. Call list_competitions for those that are.',
        error,
      );
    case 'INVALID_PARAMETER':
      return new ToolError(
        'INVALID_ARGUMENTS',
        'The dates are backwards or more than 31 days apart. Ask for fewer days, or name a competition, a season or a team.',
        error,
      );
    default:
      return error;
  }
}

/** Every wrong argument with what is wrong with it. */
function problemsOf(error: z.ZodError, known: readonly string[]): string {
  const lines = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.slice(0, MAX_UNKNOWN).map((name) => unknownArgument(name, known))
      : [`${issue.path.join('.') || 'arguments'}: ${issue.message}`],
  );
  return `Call again with other arguments. ${lines.join('. ')}.`;
}
