/**
 * Every `touchline` command that a message, an error, a log line, a guide, an alert or the board prints is one that the command
 * line has: its name, its options and its actions. test/system/runbooks.release.test.ts runs those of the runbooks.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Command, parseArguments } from './command.ts';
import { loadCommand, SUMMARIES } from './commands/catalogue.ts';
import { serviceNames } from './services.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = [
  'cli',
  'libs',
  'services',
  'docs/guides',
  'docs/reference',
  'docs/known-issues.md',
  'deploy',
  'README.md',
];
const PRINTED = /npx touchline ([^`'\n|;&#>]*)/g;
/** Where prose goes on after a command that is printed without quotes. */
const PROSE = /, |,? or | prints | {2,}|: |\. |\)|\s\[|…/;

type PrintedCommand = { readonly file: string; readonly line: string };

function printedCommands(): PrintedCommand[] {
  const files = execFileSync('git', ['ls-files', ...SOURCES], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n');
  return files
    .filter((file) => !/\.test\.ts$|testing\/|\.svg$|\.png$/.test(file))
    .flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(PRINTED)].map(([, line = '']) => ({ file, line })),
    );
}

/** Returns the words of a printed command, with one word for each placeholder and each part that is filled in. */
function wordsOf(line: string): string[] {
  const text = line.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}|"?\$\(?\w+\)?"?|<[\w |]+>?/g, 'X');
  const [command = ''] = text.split(PROSE);
  return command
    .trim()
    .replace(/[,:)]+$/, '')
    .split(/\s+/)
    .filter(Boolean);
}

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

const COMMANDS = [...new Map(printedCommands().map((one) => [wordsOf(one.line).join(' '), one])).entries()]
  .filter(([text]) => text !== '')
  .map(([text, { file }]) => ({ text, file }));

describe('a printed command', () => {
  test('is found in code, guides, runbooks, errors and alerts', () => {
    const folders = new Set(COMMANDS.map(({ file }) => file.split('/')[0]));
    expect([...folders].sort()).toEqual(expect.arrayContaining(['cli', 'docs', 'libs']));
  });

  test.each(COMMANDS)('is one that the command line accepts: npx touchline $text ($file)', ({ text }) =>
    check(text.split(' ')),
  );
});
