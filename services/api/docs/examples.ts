import { readFileSync } from 'node:fs';
import type { OperationName } from '#contract/rest/operations.ts';

/** The types that a field was seen to have, as JSON has them, such as `null | string`; whole numbers are `integer`. */
export type FieldTypes = Readonly<Record<string, string>>;

/** An operation as a running system answered it: `npm run examples` writes these files, test/system/demo.test.ts checks them. */
export type Example = {
  /** Path and query, without the token. */
  readonly request: string;
  /** The answer, its lists cut short. */
  readonly answer: unknown;
  /** Every field of `api.data` of the whole answer by its path, such as `competitions[].id`. */
  readonly fields: FieldTypes;
};

/** Where the example of an operation is. */
export function exampleFile(name: string): URL {
  return new URL(`./examples/${name}.json`, import.meta.url);
}

export function readExample(name: OperationName): Example {
  return JSON.parse(readFileSync(exampleFile(name), 'utf8'));
}
