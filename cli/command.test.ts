import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defineCommand, parseArguments, UsageError } from './command.ts';
import { loadCommand, SUMMARIES } from './commands/catalogue.ts';
import { helpOf } from './help.ts';
import { widthOf } from './table.ts';

const COMMANDS = join(import.meta.dirname, 'commands');

const draw = defineCommand({
  help: '',
  options: {
    json: { type: 'boolean', default: false },
    colour: { type: 'string' },
    level: { type: 'string', default: 'low' },
  },
  words: () => ['circle', 'square'],
  choices: { level: ['low', 'high'] },
});

test('returns options and words', () => {
  const { values, positionals } = parseArguments(
    ['circle', '--json', '--colour=-1', '--level', 'high'],
    draw,
  );
  expect(values).toEqual({ json: true, colour: '-1', level: 'high' });
  expect(positionals).toEqual(['circle']);
});

test.each([
  [['--jsn'], 'there is no option --jsn; did you mean --json?'],
  [['--nonsense'], 'there is no option --nonsense'],
  [['-j'], 'there is no option -j'],
  [['--json=yes'], '--json takes no value'],
  [['--colour'], '--colour needs a value: --colour=<value>'],
  [['--colour', '--json'], '--colour needs a value: --colour=<value>'],
  [['--level', 'hihg'], '--level is one of low, high, not "hihg"; did you mean high?'],
])('refuses %j', (args, message) => {
  expect(() => parseArguments(args, draw)).toThrow(new UsageError(message));
});

test('refuses words for a command that takes only options', () => {
  const { words: _, ...wordless } = draw;
  expect(() => parseArguments(['circle'], wordless)).toThrow(
    'unexpected argument "circle": this command takes only options',
  );
});

test('has a folder for each command, with its definition and its run function', () => {
  const folders = readdirSync(COMMANDS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(SUMMARIES).sort());
  for (const { name } of folders)
    expect(readdirSync(join(COMMANDS, name))).toEqual(expect.arrayContaining(['command.ts', 'run.ts']));
});

describe.each(Object.keys(SUMMARIES))('touchline %s', (name) => {
  test('names each option in its help', async () => {
    const command = await loadCommand(name);
    for (const option of Object.keys(command.options)) expect(command.help).toContain(`--${option}`);
    expect(command.help.startsWith(`Usage: touchline ${name}`)).toBe(true);
  });

  test('has help of at most 80 columns, with examples that it accepts', async () => {
    const command = await loadCommand(name);
    const lines = helpOf(name, command).split('\n');
    expect(lines.filter((line) => widthOf(line) > 80)).toEqual([]);
    const examples = lines.slice(lines.indexOf('Examples:') + 2).filter((line) => line !== '');
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const [program, own, ...args] = example.replace(/ \|.*/, '').trim().split(' ');
      expect([program, own]).toEqual(['touchline', name]);
      parseArguments(args, command);
      expect(
        command.words === undefined ||
          args[0] === undefined ||
          args[0].startsWith('-') ||
          command.words([]).length === 0 ||
          command.words([]).includes(args[0]),
        example,
      ).toBe(true);
    }
  });
});
