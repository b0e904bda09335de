/** Runs `touchline <command or service> [arguments]` in this process. */
import { readFileSync } from 'node:fs';
import { withAdvice } from '#errors/shortages.ts';
import { TouchlineError } from '#errors/touchline-error.ts';
import { loadCommand, loadRun, SUMMARIES } from './commands/catalogue.ts';

/** Codes of `UsageError` and `ConfigError`: loading the class `ConfigError` would take too long. */
const WRONG_INPUT: ReadonlySet<string> = new Set(['USAGE', 'CONFIG_INVALID']);

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** Exit codes of failures that the arguments did not cause, where they are not 1. */
const FAILED: Readonly<Record<string, number>> = { compare: 2 };

/** Runs a command line. Returns the exit code, or null when a service keeps running in this process. */
export async function run([name = '', ...args]: readonly string[]): Promise<number | null> {
  if (name === 'help') return run([...args, '--help']);
  if (name === '__complete') {
    const { complete } = await import('./complete.ts');
    process.stdout.write((await complete(args)).map((word) => `${word}\n`).join(''));
    return EXIT.ok;
  }
  if (Object.hasOwn(SUMMARIES, name)) return runCommand(name, args);
  const { runServiceHere, serviceNames } = await import('./services.ts');
  if (!serviceNames().includes(name)) return overview(name);
  try {
    const { withBackbone } = await import('./cluster.ts');
    Object.assign(process.env, withBackbone(process.env));
  } catch (error) {
    return report(`touchline ${name}`, error);
  }
  await runServiceHere(name, args);
  return null;
}

async function runCommand(name: string, args: readonly string[]): Promise<number> {
  let stopWarning = () => {};
  try {
    const { parseArguments } = await import('./command.ts');
    const { action, given, isOrder } = parseArguments(await loadCommand(name), args);
    const start = await loadRun(name, action);
    stopWarning = await warnOfUnreadable();
    if (!isOrder) return await start(...given);
    const { recordOrder } = await import('./orders.ts');
    return await recordOrder({ command: name, args }, () => start(...given));
  } catch (error) {
    return report(`touchline ${name}`, error, FAILED[name]);
  } finally {
    stopWarning();
  }
}

/** Prints a warning for each record that a command leaves out because nobody can read it; of those that lack a schema, for the first. */
async function warnOfUnreadable(): Promise<() => void> {
  const { onUnreadable } = await import('#topics/unreadable.ts');
  const { isOfSchema } = await import('#topics/errors.ts');
  let isRegistryNamed = false;
  return onUnreadable(({ topic, partition, offset, error }) => {
    const ofRegistry = isOfSchema(error);
    if (ofRegistry && isRegistryNamed) return;
    isRegistryNamed ||= ofRegistry;
    const more = ofRegistry ? '; so are all others of a schema that the registry lacks' : '';
    process.stderr.write(
      `warning: left out the record at ${topic}-${partition}, offset ${offset}: ${error.message}${more}\n`,
    );
  });
}

/** Prints an error: its message, and what to do, when it has a code; else its stack. Returns the exit code. */
async function report(command: string, error: unknown, failedCode: number = EXIT.failed): Promise<number> {
  // Help is printed already: it was asked for, or says which action is missing.
  const { CommanderError } = await import('commander');
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const { redactor } = await import('#service/logger.ts');
  const redact = redactor([]);
  process.stderr.write(`${command}: ${redact(textOf(error))}\n`);
  if (!(error instanceof TouchlineError && WRONG_INPUT.has(error.code))) return failedCode;
  process.stderr.write(`See ${command} --help.\n`);
  return EXIT.usage;
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof TouchlineError) return error.message;
  return 'code' in error ? withAdvice(error) : (error.stack ?? error.message);
}

/** Prints all commands and services, or the release; suggests what is meant by a word that is neither. */
async function overview(word: string): Promise<number> {
  if (['version', '--version', '-v'].includes(word)) {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    process.stdout.write(`touchline ${version}, node ${process.versions.node}\n`);
    return EXIT.ok;
  }
  const { defineCommand, parseArguments } = await import('./command.ts');
  const { serviceNames } = await import('./services.ts');
  const texts = { about: '', examples: ['demo', 'help tail'], notes: '' };
  const program = defineCommand('', texts)
    .usage('<command or service> [arguments]')
    .commandsGroup('Commands:');
  for (const [name, summary] of Object.entries(SUMMARIES)) program.command(name).description(summary);
  program.command('help').description('shows the help of a command or service');
  program.command('version').description('prints the release');
  program.commandsGroup('Services (each runs alone, in this process):');
  for (const name of serviceNames()) program.command(name);
  try {
    parseArguments(program, word === '' ? [] : [word]);
    return EXIT.ok;
  } catch (error) {
    return report('touchline', error);
  }
}
