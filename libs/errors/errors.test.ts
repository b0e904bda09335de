import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERRORS } from './catalogue.ts';
import { PoisonError } from './touchline-error.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Every source file that a service or a command runs. */
const FILES = ['libs', 'services', 'cli'].flatMap((folder) =>
  globSync(`${folder}/**/*.ts`, { cwd: ROOT }).filter((file) => !/\.test\.ts$|\/testing\//.test(file)),
);

/** A class that extends an error: that of a kind of the registry, or another class. */
const ERROR_CLASS =
  /class (\w+) extends (?:(?:defineError\(\s*'|TouchlineError<')(?<kind>\w+)'|(?<base>\w*Error)\b)/g;

/** Error classes of the tree by name, each with its kind, or the class that it extends. */
const classes = new Map(
  FILES.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(ERROR_CLASS)].map(
      ({ 1: name = '', groups }) => [name, { kind: groups?.kind, base: groups?.base ?? '' }] as const,
    ),
  ),
);

describe('the registry of errors', () => {
  test('has every error class, and none besides', () => {
    const own = [...classes].filter(([, { kind }]) => kind !== undefined);
    for (const [name, { kind }] of own) expect(kind).toBe(name);
    expect(own.map(([name]) => name).toSorted()).toEqual(Object.keys(ERRORS).toSorted());
  });

  test('is the root of every error class', () => {
    for (const [name, { kind, base }] of classes)
      expect(kind !== undefined || base in ERRORS, `${name} extends ${base}`).toBe(true);
  });

  test('has codes in upper case, each with a meaning and what to do', () => {
    for (const [kind, codes] of Object.entries(ERRORS)) {
      for (const [code, [meaning, action]] of Object.entries(codes)) {
        expect(code, kind).toMatch(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/);
        expect(`${meaning} ${action}`, `${kind} ${code}`).not.toMatch(/[|\n]/);
        for (const text of [meaning, action]) expect(text, `${kind} ${code}`).toMatch(/^[^ ].*\.$/);
      }
    }
  });
});

describe('an error', () => {
  test('has its class as name, a code, and a cause where there is one', () => {
    const cause = new Error('cut short');
    const error = new PoisonError('UNDECODABLE', 'not a message of the schema', cause);
    expect(error).toMatchObject({ name: 'PoisonError', code: 'UNDECODABLE', cause });
    expect(new PoisonError('NO_VALUE', 'a message without a value')).not.toHaveProperty('cause');
  });

  test('is published in lower case', () => {
    expect(new PoisonError('STATE_TOO_LARGE', 'too large').published).toBe('state_too_large');
  });

  test('has a code from the list of its class', () => {
    // @ts-expect-error a code that is not in the list does not compile.
    expect(new PoisonError('NO_SUCH_CODE', 'free text').code).toBe('NO_SUCH_CODE');
  });
});
