/** JSON Schemas of tools, kept short: an assistant reads all of them in every conversation. */
import { z } from 'zod';

export type JsonObjectSchema = { readonly type: 'object' } & Readonly<Record<string, unknown>>;

type Node = Record<string, unknown>;

/**
 * Returns the JSON Schema 2020-12, the protocol's default, of an argument or answer. A nullable type is a list of two
 * types. Schemas of answers have no `required`, which is a tenth of the list: docs/reference/mcp.md says which fields may
 * be missing.
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
  if (io === 'output') {
    delete node.additionalProperties;
    if (Array.isArray(node.required)) delete node.required;
  }
  if (typeof node.format === 'string') delete node.pattern;
  return withNull(node);
}

/** Replaces `anyOf` of a type and null by a list of both types. */
function withNull(node: Node): Node {
  const { anyOf, ...rest } = node;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return node;
  const [type, none] = anyOf as [Node, Node];
  if (none.type !== 'null' || typeof type.type !== 'string' || 'enum' in type) return node;
  return { ...type, ...rest, type: [type.type, 'null'] };
}
