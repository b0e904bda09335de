import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { TopicValues } from '#records/types.ts';
import { HEADER_BYTES, loadSchemas } from '#topics/codec.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import type { TopicName } from '#topics/topics.ts';
import { CASES, EVENT, STATE_CASES } from '#trading/testing/cases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { EXPRESSIONS, SAMPLE_VALUES, SAMPLES, UNKNOWN, UNKNOWN_VALUES } from './page-values.ts';
import { READER_EXAMPLES, type ReaderExample } from './reader-examples.ts';

const HERE = import.meta.dirname;

/** The programs that run in place of an example's, by its language. */
const PROGRAMS: Readonly<Record<string, Readonly<Record<'cases' | 'values', () => string>>>> = {
  Python: { cases: () => join(HERE, 'cases.py'), values: () => join(HERE, 'values.py') },
  Java: { cases: () => join(HERE, 'Cases.java'), values: javaValues },
};

/** Writes the Java program with the expressions of the page, and returns its path. */
function javaValues(): string {
  const file = join(temporaryFolder(), 'Values.java');
  const program = readFileSync(join(HERE, 'Values.java'), 'utf8');
  writeFileSync(
    file,
    program.replace('/* expressions */', () => EXPRESSIONS.Java.join(',\n')),
  );
  return file;
}

/** Runs a program in place of an example's, the last of its arguments, and returns its answer. */
async function answer({ prepare }: ReaderExample, program: string, input: object): Promise<unknown> {
  const { command, args, cwd, env } = await prepare();
  const ran = spawnSync(command, [...args.slice(0, -1), program], {
    cwd,
    env: { ...process.env, ...env, PYTHONPATH: `${env?.PYTHONPATH}:${cwd}` },
    input: JSON.stringify(input),
    encoding: 'utf8',
  });
  expect(ran.status, ran.stderr).toBe(0);
  // A JVM may write a warning to standard output before the program writes.
  return JSON.parse(ran.stdout.slice(ran.stdout.search(/\{"|\[\[/)));
}

const schemas = loadSchemas();

/** Returns a value as Avro with its schema, as a registry and a record have them. */
const encoded = <T extends TopicName>(topic: T, value: TopicValues[T]) => ({
  schema: JSON.stringify(schemas.topics.get(topic)),
  bytes: codecOf(topic).encode(value).subarray(HEADER_BYTES).toString('base64'),
});

const RECORDS = [SAMPLES, UNKNOWN].map(({ message, record, table }) => ({
  message: encoded('normalized-messages', message),
  record: encoded('match-incidents', record),
  table: encoded('standings', table),
}));

describe.each(
  READER_EXAMPLES.flatMap((example) => {
    const programs = PROGRAMS[example.name];
    return programs === undefined ? [] : { ...example, example, programs };
  }),
)('the example reader in $name', ({ name, present, example, programs }) => {
  const needs = present ? '' : ` (needs ${name}, which is not on this machine)`;

  test.runIf(present)(`says of each case what the rule says${needs}`, async () => {
    const given = { event_id: EVENT, cases: CASES, state_cases: STATE_CASES };
    const said = (await answer(example, programs.cases(), given)) as Readonly<
      Record<'trading' | 'held', readonly object[]>
    >;
    for (const [cases, answers] of [
      [CASES, said.trading],
      [STATE_CASES, said.held],
    ] as const) {
      const titled = answers.map((one, index) => [cases[index]?.title, one]);
      expect(titled).toEqual(cases.map(({ title, expected }) => [title, expected]));
    }
  });

  test.runIf(present)(`reads a value by each expression of the guide${needs}`, async () => {
    const given = { records: RECORDS, expressions: EXPRESSIONS.Python };
    expect(await answer(example, programs.values(), given)).toEqual([SAMPLE_VALUES, UNKNOWN_VALUES]);
  });
});

test('a reader in TypeScript reads a value by each expression of the guide', () => {
  const values = [SAMPLES, UNKNOWN].map((records) =>
    EXPRESSIONS.TypeScript.map((expression) => runInNewContext(expression, records) ?? null),
  );
  expect(values).toEqual([SAMPLE_VALUES, UNKNOWN_VALUES]);
});
