/** Reads arguments as an assistant's client writes them: several send null for what is left out, and numbers as text. */
import type { z } from 'zod';
import { object } from '#domain/values.ts';

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
