import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, type CommandUnknownOpts, Option } from 'commander';
import { describe, expect, test, vi } from 'vitest';
import { defineCommand, order, parseArguments, UsageError } from './command.ts';
import { loadCommand, SUMMARIES } from './commands/catalogue.ts';
import { parseId } from './commands/option-values.ts';
import { widthOf } from './table.ts';

const COMMANDS = join(import.meta.dirname, 'commands');

const command = defineCommand('draw', { about: '', examples: [] });
command
  .command('shape')
  .addArgument(new Argument('<shape>').choices(['circle', 'box']))
  .option('--json')
  .option('--colour <colour>')
  .addOption(new Option('--size <size>').choices(['low', 'high']).default('low'));
order(command.command('remove')).argument('<id>', '', parseId);

test('returns the action, its arguments, and options', () => {
  const line = ['shape', 'circle', '--json', '--colour=-1', '--size', 'high'];
  expect(parseArguments(command, line)).toEqual({
    action: 'shape',
    given: ['circle', { json: true, colour: '-1', size: 'high' }],
    isOrder: false,
  });
  const remove = { action: 'remove', given: [7, {}], isOrder: true };
  expect(parseArguments(command, ['remove', '7'])).toEqual(remove);
});

test.each([
  ['shape circle --jsn', "unknown option '--jsn'; did you mean --json?"],
  ['shape circle --nonsense', "unknown option '--nonsense'"],
  ['shape circle -j', "unknown option '-j'"],
  ['shape circle --json=yes', "unknown option '--json=yes'"],
  ['shape circle --colour', "option '--colour <colour>' argument missing"],
  ['shape circle --colour --json', 'the option colour needs a value, not --json'],
  ['shape circle --colour ', 'an argument is empty: is a variable of the shell not set?'],
  ['shape circle --colour=', 'an argument is empty: is a variable of the shell not set?'],
  ['shape circle --size x', "option '--size <size>' argument 'x' is invalid. Allowed choices are low, high."],
  ['shape', "missing required argument 'shape'"],
  ['shape x', "command-argument value 'x' is invalid for argument 'shape'. Allowed choices are circle, box."],
  ['shape circle box', "too many arguments for 'shape'. Expected 1 argument but got 2."],
  ['remov 7', "unknown command 'remov'; did you mean remove?"],
  ['remove x', "command-argument value 'x' is invalid for argument 'id'. An id is a positive whole number."],
])('refuses "%s" in one line', (line, message) => {
  expect(() => parseArguments(command, line.split(' '))).toThrow(new UsageError(message));
});

test('has a folder for each command, with its definition and its run function', () => {
  const folders = readdirSync(COMMANDS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(SUMMARIES).sort());
  for (const { name } of folders)
    expect(readdirSync(join(COMMANDS, name))).toEqual(expect.arrayContaining(['command.ts', 'run.ts']));
});

describe.each(Object.keys(SUMMARIES))('touchline %s', (name) => {
  test('has a function for each action', async () => {
    const definition = await loadCommand(name);
    const { run, actions } = await import(`./commands/${name}/run.ts`);
    expect(Object.keys(actions ?? { '': run }).sort()).toEqual(actionsOf(definition).sort());
  });

  test('has help of at most 80 columns before its settings, with examples that it accepts', async () => {
    const definition = await loadCommand(name);
    const lines = helpOf(definition)
      .replace(/\nSettings, .*/s, '')
      .split('\n');
    expect(lines.filter((line) => widthOf(line) > 80)).toEqual([]);
    const from = lines.indexOf('Examples:') + 1;
    const examples = lines.slice(from, lines.indexOf('', from));
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const [program, own, ...args] = example.replace(/ \|.*/, '').trim().split(' ');
      expect([program, own]).toEqual(['touchline', name]);
      parseArguments(definition, args);
    }
  });
});

function actionsOf({ commands }: CommandUnknownOpts): string[] {
  if (commands.length === 0) return [''];
  return commands.flatMap((one) => actionsOf(one).map((action) => `${one.name()} ${action}`.trim()));
}

function helpOf(definition: CommandUnknownOpts): string {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    definition.outputHelp();
    return write.mock.calls.map(([text]) => text).join('');
  } finally {
    write.mockRestore();
  }
}
