/** Schemas of tools as clients get them: an assistant reads each of them in every conversation, so none has a word too many. */
import { z } from 'zod';

export type JsonObjectSchema = { readonly type: 'object' } & Readonly<Record<string, unknown>>;

type Node = Record<string, unknown>;

/**
 * JSON Schema 2020-12, which is the protocol's default. Null is written beside its type. Those of answers do not name
 * what is required, a tenth of the list: every field is there, unless docs/reference/mcp.md says otherwise.
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
  // What any whole number has, and what a reader of answers does not need.
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  if (io === 'output') {
    delete node.additionalProperties;
    if (Array.isArray(node.required)) delete node.required;
  }
  if (typeof node.format === 'string') delete node.pattern;
  return withNull(node);
}

/** `anyOf` a type and null, as one type with null. */
function withNull(node: Node): Node {
  const { anyOf, ...rest } = node;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return node;
  const [type, none] = anyOf as [Node, Node];
  if (none.type !== 'null' || typeof type.type !== 'string' || 'enum' in type) return node;
  return { ...type, ...rest, type: [type.type, 'null'] };
}
