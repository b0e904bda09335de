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

/** Error classes of the tree by name, each with the class that it extends. */
const classes = new Map(
  FILES.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/class (\w+) extends ([\w<>']*Error[\w<>']*)/g)].map(
      ([, name = '', base = '']) => [name, base] as const,
    ),
  ),
);

describe('the registry of errors', () => {
  test('has every error class, and none besides', () => {
    const own = [...classes]
      .filter(([name, base]) => base === `TouchlineError<'${name}'>`)
      .map(([name]) => name);
    expect(own.toSorted()).toEqual(Object.keys(ERRORS).toSorted());
  });

  test('is the root of every error class', () => {
    const others = [...classes].filter(([name]) => !(name in ERRORS));
    for (const [name, base] of others) expect(base in ERRORS, `${name} extends ${base}`).toBe(true);
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
