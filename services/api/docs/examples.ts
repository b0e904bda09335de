import { readFileSync } from 'node:fs';
import type { OperationName } from '#contract/rest/operations.ts';

/** The JSON types of each field in an answer, such as `null | string`; whole numbers are `integer`. */
export type FieldTypes = Readonly<Record<string, string>>;

/** A request and its answer from a running system: `npm run examples` writes these files, test/system/demo/kept.release.test.ts checks them. */
export type Example = {
  /** Path and query, without the token. */
  readonly request: string;
  /** The answer with shortened lists. */
  readonly answer: unknown;
  /** All fields of `api.data` in the whole answer by path, such as `competitions[].id`. */
  readonly fields: FieldTypes;
};

export function exampleFile(name: string): URL {
  return new URL(`./examples/${name}.json`, import.meta.url);
}

export function readExample(name: OperationName): Example {
  return JSON.parse(readFileSync(exampleFile(name), 'utf8'));
}
