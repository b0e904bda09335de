/**
 * Every `touchline` command that a message, an error, a log line, a guide, an alert or the board prints is one that the command
 * line has: its name, its options and its actions. test/system/printed, and the tests of guides and runbooks, run commands where they are printed.
 */
import { describe, expect, test } from 'vitest';
import { type Command, parseArguments } from './command.ts';
import { loadCommand, SUMMARIES } from './commands/catalogue.ts';
import { serviceNames } from './services.ts';
import { printedCommands, wordsOf } from './testing/printed-commands.ts';

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
