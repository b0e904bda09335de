/**
 * Every `touchline` command that a message, an error, a log line, a guide, an alert or the board prints is one that the command
 * line has: its name, its options and its actions; and a test runs it in the state in which it is printed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { guideCommands } from '../test/system/guides/commands.ts';
import { type Command, parseArguments } from './command.ts';
import { loadCommand, SUMMARIES } from './commands/catalogue.ts';
import { serviceNames } from './services.ts';
import { otherPrograms, type PrintedCommand, printedCommands, wordsOf } from './testing/printed-commands.ts';
import { OTHER_PROGRAMS, PRINTED_RUNS } from './testing/printed-runs.ts';

const ROOT = join(import.meta.dirname, '..');
const PRINTED = printedCommands();

/** Throws `UsageError` for an unknown option; fails for an unknown action or topic. */
async function check([name = '', ...args]: readonly string[]): Promise<void> {
  if (serviceNames().includes(name) || name.startsWith('-') || name === 'X') return;
  expect(Object.keys(SUMMARIES)).toContain(name);
  if (args.includes('--help')) return;
  const command = await loadCommand(name);
  // An option at the end of a message has its value in another part.
  const { positionals } = parseArguments(
    args.at(-1)?.startsWith('--') ? withValue(args, command) : args,
    command,
  );
  const before: string[] = [];
  for (const word of positionals) {
    const known = command.words?.(before) ?? [];
    if (word === 'X') break;
    if (known.length > 0 && !/^[\d.]+$|^[\w.-]+\.$/.test(word)) expect(known).toContain(word);
    before.push(word);
  }
}

function withValue(args: readonly string[], { options }: Command): string[] {
  const last = args.at(-1)?.slice(2) ?? '';
  return options[last]?.type === 'string' ? [...args, 'X'] : [...args];
}

const COMMANDS = [...new Map(PRINTED.map((one) => [wordsOf(one.text).join(' '), one])).entries()].map(
  ([text, { file }]) => ({ text, file }),
);

describe('a printed command', () => {
  test('is found in code, guides, runbooks, errors and alerts', () => {
    const folders = new Set(PRINTED.map(({ file }) => file.split('/')[0]));
    expect([...folders].sort()).toEqual(expect.arrayContaining(['cli', 'deploy', 'docs', 'libs']));
  });

  test.each(COMMANDS)('is one that the command line accepts: npx touchline $text ($file)', ({ text }) =>
    check(text.split(' ')),
  );
});

describe('the table of runs', () => {
  const guides = guideCommands();
  const isInGuide = ({ file, text }: PrintedCommand): boolean =>
    guides.some(({ page, command }) => page === file && command.includes(text));
  /** The key of a row that says where a command runs; null for one that the test of its page runs with its block. */
  const rowOf = (printed: PrintedCommand): string | null => {
    const { file, text, block } = printed;
    if (block !== null && (block !== 'sh' || isInGuide(printed))) return null;
    return `${/\.md$/.test(file) ? 'docs' : file}: ${text}`;
  };
  const wanted = new Set(PRINTED.map(rowOf).filter((row) => row !== null));
  const rows = PRINTED_RUNS.flatMap((row) => row.commands.map((text) => `${row.in}: ${text}`));

  test('has a row for each printed command', () => {
    expect([...wanted].filter((row) => !rows.includes(row))).toEqual([]);
  });

  test('has no row of a command that is printed nowhere', () => {
    expect(rows.filter((row) => !wanted.has(row))).toEqual([]);
  });

  test('has each other program whose commands are printed, with its test or why none runs it', () => {
    expect(Object.keys(OTHER_PROGRAMS).sort()).toEqual(otherPrograms());
  });

  const tests = [
    ...PRINTED_RUNS.map((row) => row.test),
    ...Object.values(OTHER_PROGRAMS).flatMap((row) => ('test' in row ? [row.test] : [])),
  ];
  test.each([...new Set(tests)])('names a test that runs commands: %s', (file) => {
    expect(existsSync(join(ROOT, file))).toBe(true);
    expect(readFileSync(join(ROOT, file), 'utf8')).toMatch(
      /commandsIn|pageCommands|runBlock|completion|setPosition/,
    );
  });
});
