/** JSON Schemas of tools, kept short: an assistant reads all of them in every conversation. */
import { z } from 'zod';

export type JsonObjectSchema = { readonly type: 'object' } & Readonly<Record<string, unknown>>;

/**
 * Returns the JSON Schema 2020-12 of an argument or answer, in the subset that every assistant's client takes: some refuse a list
 * in `type`, a `format` other than `date-time`, or `additionalProperties` of an argument. Schemas of answers have no `required`,
 * which is a tenth of the list: docs/reference/mcp.md says which fields may be missing.
 */
export function objectSchema(schema: z.ZodObject, io: 'input' | 'output'): JsonObjectSchema {
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
