/** Reads the OpenAPI document of a server: allowed requests and answers. */
import { z } from 'zod';
import type { OpenApiDocument, OperationObject, ParameterObject } from '#contract/rest/openapi.ts';
import type { JsonObject } from '#json/values.ts';

export type Documented = {
  readonly path: string;
  readonly id: string;
  readonly open: boolean;
  readonly parameters: readonly ParameterObject[];
  readonly responses: ReadonlyMap<number, DocumentedResponse>;
};

type DocumentedResponse = { readonly mediaTypes: readonly string[]; readonly body: z.ZodType };

type Content = { readonly [mediaType: string]: { readonly schema: { readonly $ref: string } } };

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
  // zod reads definitions from `$defs` only.
  const $defs = JSON.parse(
    JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
  ) as Record<string, JsonObject>;
  return new Map(
    Object.entries($defs).map(([name, schema]) => [name, z.fromJSONSchema({ ...schema, $defs })]),
  );
}

/**
 * Whether a text in a query matches its parameter's schema; null when the schema cannot decide, because it describes a
 * number and not its notation.
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
