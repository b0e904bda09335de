import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CASES, EVENT, STATE_CASES } from '#tradability/testing/cases.ts';
import { READER_EXAMPLES } from './reader-examples.ts';

/** Returns the command that plays the cases in a language, from the command of its example. */
const PLAYERS: Readonly<Record<string, (args: readonly string[]) => readonly string[]>> = {
  Python: () => [join(import.meta.dirname, 'cases.py')],
  Java: (args) => [...args.slice(0, -1), join(import.meta.dirname, 'Cases.java')],
};

describe.each(READER_EXAMPLES.filter(({ name }) => name in PLAYERS))(
  'the rule of the example reader in $name',
  ({ name, present, prepare }) => {
    const needs = present ? '' : ` (needs ${name}, which is not on this machine)`;

    test.runIf(present)(`says of each case what the rule says${needs}`, async () => {
      const { command, args, cwd, env } = await prepare();
      const played = spawnSync(command, PLAYERS[name]?.(args) ?? [], {
        cwd,
        env: { ...process.env, ...env, PYTHONPATH: `${env?.PYTHONPATH}:${cwd}` },
        input: JSON.stringify({ event_id: EVENT, cases: CASES, state_cases: STATE_CASES }),
        encoding: 'utf8',
      });
      expect(played.status, played.stderr).toBe(0);
      // A JVM may write a warning to standard output before the program writes.
      const said: Readonly<Record<'trading' | 'held', readonly object[]>> = JSON.parse(
        played.stdout.slice(played.stdout.indexOf('{"')),
      );
      for (const [cases, answers] of [
        [CASES, said.trading],
        [STATE_CASES, said.held],
      ] as const) {
        const titled = answers.map((one, index) => [cases[index]?.title, one]);
        expect(titled).toEqual(cases.map(({ title, expected }) => [title, expected]));
      }
    });
  },
);
