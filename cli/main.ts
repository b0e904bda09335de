/** The command line: `touchline <command or service> [arguments]`. */
import { readFileSync } from 'node:fs';
import { ConfigError } from '#service/config.ts';
import { redactor } from '#service/logger.ts';
import { type Command, UsageError } from './command.ts';
import { withBackbone } from './place.ts';
import { runServiceHere, serviceNames } from './services.ts';

/** Loaded when needed: a command does not pay for the others. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import('./commands/demo/command.ts')).demo,
  up: async () => (await import('./commands/up.ts')).up,
  topics: async () => (await import('./commands/topics.ts')).topics,
  tail: async () => (await import('./commands/tail.ts')).tail,
  'dead-letters': async () => (await import('./commands/dead-letters.ts')).deadLetters,
  position: async () => (await import('./commands/position.ts')).position,
  rebuild: async () => (await import('./commands/rebuild.ts')).rebuild,
  webhooks: async () => (await import('./commands/webhooks/command.ts')).webhooks,
  clients: async () => (await import('./commands/clients/command.ts')).clients,
  tokens: async () => (await import('./commands/tokens/command.ts')).tokens,
};

const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

// kafkajs asks for timeouts in the past, which Node takes as 1 ms, and says so on the terminal.
process.removeAllListeners('warning');
process.on('warning', (warning) => {
  if (warning.name !== 'TimeoutNegativeWarning') process.stderr.write(`touchline: ${warning.message}\n`);
});
// Whoever read the output has seen enough: `touchline tail … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed);
});

const exitCode = await run(process.argv.slice(2));
if (exitCode !== null) process.exit(exitCode);

/** Resolves to the exit code; to null where a service runs on in this process. */
async function run([name, ...args]: readonly string[]): Promise<number | null> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    (name === undefined ? process.stderr : process.stdout).write(await overview());
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${version()}\n`);
    return EXIT.ok;
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load !== undefined) return runCommand(name, load, args);
  if (!serviceNames().includes(name)) {
    process.stderr.write(
      `touchline: there is no command or service ${JSON.stringify(name)}; see touchline --help\n`,
    );
    return EXIT.usage;
  }
  try {
    Object.assign(process.env, withBackbone(process.env));
  } catch (error) {
    return told(name, error);
  }
  await runServiceHere(name, args);
  return null;
}

async function runCommand(
  name: string,
  load: () => Promise<Command>,
  args: readonly string[],
): Promise<number> {
  try {
    const command = await load();
    if (args.includes('--help') || args.includes('-h')) {
      process.stdout.write(command.help);
      return EXIT.ok;
    }
    return await command.run(args);
  } catch (error) {
    return told(name, error);
  }
}

/** Says what went wrong in a line; of an error that nobody foresaw, all there is. */
function told(name: string, error: unknown): number {
  const redact = redactor([]);
  const foreseen = error instanceof Error && 'code' in error;
  const text = foreseen
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  process.stderr.write(`touchline ${name}: ${redact(text)}\n`);
  if (!(error instanceof UsageError || error instanceof ConfigError)) return EXIT.failed;
  process.stderr.write(`See touchline ${name} --help.\n`);
  return EXIT.usage;
}

async function overview(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const width = Math.max(...commands.map((command) => command.name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: touchline <command> [arguments]
       touchline <service>

Commands:
${lines.join('\n')}

Services, each run alone in this process:
${serviceNames()
  .map((name) => `  ${name}`)
  .join('\n')}

touchline <command or service> --help tells more.
`;
}

function version(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return `touchline ${text}, node ${process.versions.node}`;
}
