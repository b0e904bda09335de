/** What `touchline <command or service> [arguments]` does, in the process that it runs in. */
import { readFileSync } from 'node:fs';
import { TouchlineError } from '#errors/touchline-error.ts';
import { parseArguments } from './command.ts';
import { loadCommand, loadRun, SUMMARIES } from './commands/catalogue.ts';
import { complete } from './complete.ts';
import { runServiceHere, serviceNames } from './services.ts';
import { didYouMean } from './suggest.ts';

/** `UsageError` and `ConfigError`, by their codes: loading the settings takes longer than most of what fails here. */
const WRONG_INPUT: ReadonlySet<string> = new Set(['USAGE', 'CONFIG_INVALID']);

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** Resolves to the exit code; to null where a service runs on in this process. */
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
    return report(name, error);
  }
  await runServiceHere(name, args);
  return null;
}

async function runCommand(name: string, args: readonly string[]): Promise<number> {
  const command = await loadCommand(name);
  try {
    if (args.includes('--help') || args.includes('-h')) {
      process.stdout.write(command.help);
      return EXIT.ok;
    }
    const given = parseArguments(args, command);
    const start = await loadRun(name);
    if (!command.changes?.(given)) return await start(given);
    const { recordOrder } = await import('./orders.ts');
    return await recordOrder({ command: name, args }, () => start(given));
  } catch (error) {
    return report(name, error, command.failedCode);
  }
}

/** Prints an error in one line, an unexpected one in full. */
async function report(name: string, error: unknown, failedCode: number = EXIT.failed): Promise<number> {
  const { redactor } = await import('#service/logger.ts');
  const redact = redactor([]);
  const foreseen = error instanceof Error && 'code' in error;
  const text = foreseen
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
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

Services, each run alone in this process:
${serviceNames()
  .map((name) => `  ${name}`)
  .join('\n')}

touchline <command or service> --help shows more, touchline version which release this is.
`;
}

function version(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return `touchline ${text}, node ${process.versions.node}`;
}
