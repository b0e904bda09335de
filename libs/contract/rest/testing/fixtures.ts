/** The published answers of a real provider, if this machine has them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { isOperationName, operationNamed } from '../operations.ts';
import { answerEnvelope } from '../records/envelope.ts';

const FOLDER = join(import.meta.dirname, '../../../../../shared/provider');

/** A published answer. */
export type AnswerFixture = {
  /** The `api.method.name`. */
  readonly name: string;
  readonly json: { readonly api: { readonly data: unknown; readonly method: { readonly name: string } } };
};

/** Whether the files exist. */
export const haveFixtures = existsSync(FOLDER);

/** Reads all answers, of operations of the REST contract and of others. */
export function fixtures(): AnswerFixture[] {
  if (!haveFixtures) return [];
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as AnswerFixture['json'])
    .filter(({ api }) => api !== undefined)
    .map((json) => ({ json, name: json.api.method.name }));
}

/** A field where providers' answers differ from the spec. */
export type AnswerDifference = {
  readonly operation: string;
  readonly path: string;
  readonly spec: string;
  readonly seen: string;
};

/** Returns the differences of a fixture from our own answer; an empty list for an operation that is not in the spec. */
export function findingsOf({ name, json }: AnswerFixture): AnswerDifference[] {
  if (!isOperationName(name)) return [];
  const strict = answerEnvelope(name, operationNamed(name).data);
  const { error } = strict.safeParse(json);
  const found = new Map<string, AnswerDifference>();
  for (const issue of error?.issues ?? []) {
    const path = pathOf(issue.path);
    const finding = { operation: name, path, spec: expected(issue), seen: kindOf(at(json, issue.path)) };
    found.set(`${path} ${finding.seen}`, finding);
  }
  return [...found.values()];
}

/** Returns the path of an issue, without list positions and parameter names. */
function pathOf(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? '[]' : String(step)));
  const parameters = steps.indexOf('parameters');
  return (parameters === 2 && steps.length > 3 ? [...steps.slice(0, 3), '*'] : steps).join('.');
}

function expected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return issue.expected;
  return issue.code === 'invalid_format' ? 'major.minor.patch' : issue.code;
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, step) => (inner as Record<PropertyKey, unknown>)[step], value);
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value === '') return "''";
  return typeof value === 'string' ? `text such as ${JSON.stringify(value)}` : typeof value;
}
