/**
 * Every `touchline` command that a message, an error, a log line, a guide, an alert or the board prints is one that the command
 * line has: its name, its options and its actions. The tests of guides, runbooks and refused positions run commands where they are printed.
 */
import { describe, expect, test } from 'vitest';
import { loadCommand, SUMMARIES } from './commands/catalogue.ts';
import { serviceNames } from './services.ts';
import { printedCommands, wordsOf } from './testing/printed-commands.ts';

const PRINTED = printedCommands();

/** Fails for an unknown action, option or choice. Values that a reader fills in are not parsed. */
async function check([name = '', ...args]: readonly string[]): Promise<void> {
  if (serviceNames().includes(name) || name.startsWith('-') || name === 'X') return;
  expect(Object.keys(SUMMARIES)).toContain(name);
  if (args.includes('--help')) return;
  let command = await loadCommand(name);
  const words = [...args];
  while (command.commands.length > 0 && words[0] !== undefined && words[0] !== 'X') {
    const action = words.shift();
    const found = command.commands.find((one) => one.name() === action);
    if (found === undefined) expect(command.commands.map((one) => one.name())).toContain(action);
    else command = found;
  }
  for (const option of command.options) option.argParser((text: string) => text);
  // An option at the end of a message has its value in another part.
  const last = command.options.find(({ long, required }) => required && long === words.at(-1));
  const { operands, unknown } = command.parseOptions(last === undefined ? words : [...words, 'X']);
  expect(unknown).toEqual([]);
  if (command.commands.length > 0) return;
  const known = command.registeredArguments;
  for (const [at, word] of operands.entries()) {
    const argument = known[at] ?? known.findLast(({ variadic }) => variadic);
    expect(argument, `${name} takes no argument ${word}`).toBeDefined();
    if (word !== 'X' && argument?.argChoices !== undefined) expect(argument.argChoices).toContain(word);
  }
}

const ONE_EACH = new Map(PRINTED.map(({ file, text }) => [wordsOf(text).join(' '), file]));
const COMMANDS = [...ONE_EACH].map(([text, file]) => ({ text, file }));

describe('a printed command', () => {
  test('is found in code, guides, runbooks, errors and alerts', () => {
    const folders = new Set(PRINTED.map(({ file }) => file.split('/')[0]));
    expect([...folders].sort()).toEqual(expect.arrayContaining(['cli', 'deploy', 'docs', 'libs']));
  });

  test.each(COMMANDS)('is one that the command line accepts: npx touchline $text ($file)', ({ text }) =>
    check(wordsOf(text)),
  );
});
