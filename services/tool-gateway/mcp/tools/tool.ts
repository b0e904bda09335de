/** The definition of a tool: typed input, structured output, and errors that an assistant can act on. */
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
  if (error.code === 'NOT_FOUND') return new ToolError('NOT_FOUND', missing, error);
  if (error.code === 'NOT_SERVED')
    return new ToolError(
      'NOT_SERVED',
      `${error.message}. It may belong to another one, or be unknown.`,
      error,
    );
  const [code, message] = REFUSALS[error.code] ?? [];
  return code === undefined || message === undefined ? error : new ToolError(code, message, error);
}

/** What a tool says of other refusals of REST. */
const REFUSALS: { readonly [code in RestErrorCode]?: readonly [CodeOf<'ToolError'>, string] } = {
  FORBIDDEN: [
    'OUTSIDE_CONTRACT',
    'Your contract does not cover that competition. Call list_competitions for those it covers.',
  ],
  INVALID_PARAMETER: [
    'INVALID_ARGUMENTS',
    'date_to is before date_from, or more than 31 days after it. Send fewer days, or a competition, season or team.',
  ],
};

/** Describes every invalid argument. */
function problemsOf(error: z.ZodError, known: readonly string[]): string {
  const lines = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.slice(0, MAX_UNKNOWN).map((name) => unknownArgument(name, known))
      : [`${issue.path.join('.') || 'arguments'}: ${issue.message}`],
  );
  return `Call again with other arguments. ${lines.join('. ')}.`;
}

/** Schemas that only wrap the one of a value. */
const WRAPPERS: ReadonlySet<string> = new Set(['optional', 'default']);
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * Returns the arguments as a tool's schema has them: leaves out null and empty text of an optional argument; converts text to a number or
 * boolean, a number to text, and the case of a word to that of an allowed one. Returns any other value unchanged, to be refused.
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
      return [[name, readValue(value, valueSchema(schema))]];
    }),
  );
}

function valueSchema(schema: z.ZodType): z.ZodType {
  return WRAPPERS.has(schema.type) ? valueSchema((schema as z.ZodOptional<z.ZodType>).unwrap()) : schema;
}

function readValue(value: unknown, schema: z.ZodType): unknown {
  if (typeof value === 'number') return schema.type === 'string' ? String(value) : value;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  const word = text.toLowerCase();
  switch (schema.type) {
    case 'number':
      return NUMBER.test(text) ? Number(text) : value;
    case 'boolean':
      return word === 'true' ? true : word === 'false' ? false : value;
    case 'enum':
      return (schema as z.ZodEnum).options.includes(word) ? word : value;
    default:
      return value;
  }
}

type JsonObjectSchema = { readonly type: 'object' } & Readonly<Record<string, unknown>>;

/**
 * Returns the JSON Schema that every assistant's client takes: some refuse a list in `type`, other formats, or
 * `additionalProperties`. Answers' schemas lack `required`, a tenth of the list (docs/reference/mcp.md).
 */
function objectSchema(schema: z.ZodObject, io: 'input' | 'output'): JsonObjectSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io });
  return compact(json, io) as JsonObjectSchema;
}

function compact(value: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(value)) return value.map((one) => compact(one, io));
  if (typeof value !== 'object' || value === null) return value;
  const node = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, compact(inner, io)] as const),
  );
  // Removes the bounds that every integer has, and keywords that a reader of answers does not need.
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  if (typeof node.additionalProperties === 'boolean' || io === 'output') delete node.additionalProperties;
  if (io === 'output' && Array.isArray(node.required)) delete node.required;
  // A schema that another tool of the list has.
  if (typeof node.sameAs === 'string') return { type: 'object', description: `As in ${node.sameAs}.` };
  // The description names the form of a date; its pattern is a hundred characters.
  if (typeof node.format === 'string') delete node.pattern;
  if (node.format !== 'date-time') delete node.format;
  if (!Array.isArray(node.type)) return node;
  const { type: types, description, ...rest } = node;
  const anyOf = types.map((type) => (type === 'null' ? { type } : { type, ...rest }));
  return description === undefined ? { anyOf } : { anyOf, description };
}

/** Suggests the right name for an argument that a tool does not have. */

/** Other names that callers use for an argument, where neither the name nor a part of it matches. */
const SYNONYMS: Readonly<Record<string, string>> = {
  league: 'competition_id',
  tournament: 'competition_id',
  event: 'match_id',
  event_id: 'match_id',
  fixture: 'match_id',
  id: 'match_id',
  club: 'team_id',
  participant_id: 'team_id',
  table_id: 'standings_id',
  name: 'query',
  player: 'query',
  q: 'query',
  text: 'query',
  day: 'date_from',
  from: 'date_from',
  to: 'date_to',
  until: 'date_to',
  after: 'since',
  timestamp: 'since',
  count: 'limit',
  page_size: 'limit',
};

/** Returns the one of `known` that is meant; undefined if none matches. */
function meantBy(argument: string, known: readonly string[]): string | undefined {
  const name = argument
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
  const synonym = SYNONYMS[name];
  const match = [name, `${name}_id`, synonym].find((one) => one !== undefined && known.includes(one));
  return match ?? known.find((one) => one.startsWith(name) || name.startsWith(one.replace(/_id$/, '')));
}

/** Returns a message that names an unknown argument, and the right one. */
function unknownArgument(argument: string, known: readonly string[]): string {
  const shown = argument.slice(0, 40);
  const meant = meantBy(argument, known);
  if (meant === undefined) return `${shown}: unknown argument; known are ${known.join(', ')}`;
  const found = meant === 'team_id' || meant === 'competition_id' ? ' (search finds it by name)' : '';
  return `${shown}: unknown argument; send ${meant}${found}`;
}

/** Fields whose text is Touchline's own, or consists of texts that were cut before. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['act', 'hint', 'text', 'url']);

/** Returns a copy of JSON data in which `shortText` cut every text, also of fields that are added later. */
export function shortTexts<T>(data: T): T;
export function shortTexts(data: unknown): unknown {
  if (typeof data === 'string') return shortText(data);
  if (Array.isArray(data)) return data.map((item) => shortTexts<unknown>(item));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, OWN_FIELDS.has(name) ? value : shortTexts(value)]),
  );
}
