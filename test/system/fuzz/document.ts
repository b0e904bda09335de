/** The contract as a server publishes it: what may be sent, and what may come back. */
import { z } from 'zod';
import type {
  JsonSchema,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
} from '#contract/rest/openapi.ts';

/** An operation of the document. */
export type Documented = {
  readonly path: string;
  readonly id: string;
  /** Answers without a token. */
  readonly open: boolean;
  /** Those of the query. */
  readonly parameters: readonly ParameterObject[];
  readonly responses: ReadonlyMap<number, DocumentedResponse>;
};

/** An answer of an operation, by its status. */
type DocumentedResponse = { readonly mediaTypes: readonly string[]; readonly body: z.ZodType };

type Content = { readonly [mediaType: string]: { readonly schema: { readonly $ref: string } } };

/** The operations of a document, each answer with a validator made of its schema. */
export function operationsOf(document: OpenApiDocument): Documented[] {
  const validators = validatorsOf(document);
  const responsesOf = ({ responses }: OperationObject) =>
    Object.entries(responses).map(([status, { content }]) => {
      const [[, { schema }] = ['', { schema: { $ref: '' } }]] = Object.entries(content as Content);
      const body = validators.get(schema.$ref.replace('#/components/schemas/', '')) ?? z.never();
      return [Number(status), { mediaTypes: Object.keys(content), body }] as const;
    });
  return Object.entries(document.paths).map(([path, { get }]) => ({
    path,
    id: get.operationId,
    open: get.security.length === 0,
    parameters: get.parameters.filter((parameter) => parameter.in === 'query'),
    responses: new Map(responsesOf(get)),
  }));
}

function validatorsOf({ components }: OpenApiDocument): Map<string, z.ZodType> {
  // zod looks for definitions in `$defs` only.
  const $defs = JSON.parse(
    JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
  ) as Record<string, JsonSchema>;
  return new Map(
    Object.entries($defs).map(([name, schema]) => [name, z.fromJSONSchema({ ...schema, $defs })]),
  );
}

/**
 * Whether a text in a query is of the schema of its parameter; null where the schema does not say: what it says of a
 * number is said of the number, not of how it is written.
 */
export function fits({ schema }: ParameterObject, text: string): boolean | null {
  const { type, enum: values, minimum, maximum, pattern } = schema;
  if (Array.isArray(values)) return values.map(String).includes(text);
  if (type === 'integer') {
    if (/^0[0-9]+$/.test(text)) return null;
    if (!/^[0-9]+$/.test(text)) return false;
    return Number(text) >= Number(minimum) && Number(text) <= Number(maximum);
  }
  return typeof pattern === 'string' ? new RegExp(pattern).test(text) : true;
}
