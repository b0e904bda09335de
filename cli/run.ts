/** Runs `touchline <command or service> [arguments]` in this process. */
import { readFileSync } from 'node:fs';
import { withAdvice } from '#errors/shortages.ts';
import { TouchlineError } from '#errors/touchline-error.ts';
import { parseArguments } from './command.ts';
import { loadCommand, loadRun, SUMMARIES } from './commands/catalogue.ts';
import { complete } from './complete.ts';
import { runServiceHere, serviceNames } from './services.ts';
import { didYouMean } from './suggest.ts';

/** Codes of `UsageError` and `ConfigError`: loading the class `ConfigError` would take too long. */
const WRONG_INPUT: ReadonlySet<string> = new Set(['USAGE', 'CONFIG_INVALID']);

/** Exit codes of the command line. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** Runs a command line. Returns the exit code, or null when a service keeps running in this process. */
export async function run([name, ...args]: readonly string[]): Promise<number | null> {
  if (name === undefined) {
    process.stderr.write(overview());
    return EXIT.usage;
  }
  const about = args[0];
  if (name === 'help' && about !== undefined) return run([about, '--help']);
  if (name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(overview());
    return EXIT.ok;
  }
  if (name === 'version' || name === '--version' || name === '-v') {
    process.stdout.write(`${version()}\n`);
    return EXIT.ok;
  }
  if (name === '__complete') {
    process.stdout.write((await complete(args)).map((word) => `${word}\n`).join(''));
    return EXIT.ok;
  }
  if (Object.hasOwn(SUMMARIES, name)) return runCommand(name, args);
  if (!serviceNames().includes(name)) {
    const guess = didYouMean(name, ['help', 'version', ...Object.keys(SUMMARIES), ...serviceNames()]);
    process.stderr.write(
      `touchline: there is no command or service ${JSON.stringify(name)}${guess || '; see touchline --help'}\n`,
    );
    return EXIT.usage;
  }
  try {
    const { withBackbone } = await import('./cluster.ts');
    Object.assign(process.env, withBackbone(process.env));
  } catch (error) {
    return reportError(name, error);
  }
  await runServiceHere(name, args);
  return null;
}

async function runCommand(name: string, args: readonly string[]): Promise<number> {
  const command = await loadCommand(name);
  try {
    if (args.includes('--help') || args.includes('-h')) {
      const { helpOf } = await import('./help.ts');
      process.stdout.write(helpOf(name, command));
      return EXIT.ok;
    }
    const given = parseArguments(args, command);
    const start = await loadRun(name);
    await warnOfUnreadable();
    if (!command.changes?.(given)) return await start(given);
    const { recordOrder } = await import('./orders.ts');
    return await recordOrder({ command: name, args }, () => start(given));
  } catch (error) {
    return reportError(name, error, command.failedCode);
  }
}

let isWarning = false;

/** Prints a warning for each record that a command leaves out because nobody can read it. */
async function warnOfUnreadable(): Promise<void> {
  if (isWarning) return;
  isWarning = true;
  const { onUnreadable } = await import('#topics/readable.ts');
  const { isOfSchema } = await import('#topics/errors.ts');
  let isRegistryNamed = false;
  onUnreadable(({ topic, partition, offset, error }) => {
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
async function reportError(name: string, error: unknown, failedCode: number = EXIT.failed): Promise<number> {
  const { redactor } = await import('#service/logger.ts');
  const redact = redactor([]);
  const isExpected = error instanceof Error && 'code' in error;
  let text: string;
  if (isExpected) text = error instanceof TouchlineError ? error.message : withAdvice(error);
  else text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`touchline ${name}: ${redact(text)}\n`);
  if (!(error instanceof TouchlineError && WRONG_INPUT.has(error.code))) return failedCode;
  process.stderr.write(`See touchline ${name} --help.\n`);
  return EXIT.usage;
}

function overview(): string {
  const width = Math.max(...Object.keys(SUMMARIES).map((name) => name.length));
  const lines = Object.entries(SUMMARIES).map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: touchline <command> [arguments]
       touchline <service>

Commands:
${lines.join('\n')}

Services (each runs alone, in this process):
${serviceNames()
  .map((name) => `  ${name}`)
  .join('\n')}

Run touchline <command or service> --help for details, touchline version for the release.
`;
}

function version(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return `touchline ${text}, node ${process.versions.node}`;
}
