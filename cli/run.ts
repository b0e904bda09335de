/** What `touchline <command or service> [arguments]` does, in the process that it runs in. */
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
  acls: async () => (await import('./commands/acls.ts')).acls,
  tail: async () => (await import('./commands/tail.ts')).tail,
  'dead-letters': async () => (await import('./commands/dead-letters.ts')).deadLetters,
  doctor: async () => (await import('./commands/doctor/command.ts')).doctor,
  status: async () => (await import('./commands/status/command.ts')).status,
  position: async () => (await import('./commands/position.ts')).position,
  rebuild: async () => (await import('./commands/rebuild.ts')).rebuild,
  replay: async () => (await import('./commands/replay/command.ts')).replay,
  compare: async () => (await import('./commands/compare/command.ts')).compareCommand,
  export: async () => (await import('./commands/export/command.ts')).exportCommand,
  alerts: async () => (await import('./commands/alerts/command.ts')).alerts,
  webhooks: async () => (await import('./commands/webhooks/command.ts')).webhooks,
  clients: async () => (await import('./commands/clients/command.ts')).clients,
  tokens: async () => (await import('./commands/tokens/command.ts')).tokens,
};

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** Resolves to the exit code; to null where a service runs on in this process. */
export async function run([name, ...args]: readonly string[]): Promise<number | null> {
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
    return report(name, error);
  }
  await runServiceHere(name, args);
  return null;
}

async function runCommand(
  name: string,
  load: () => Promise<Command>,
  args: readonly string[],
): Promise<number> {
  let command: Command | undefined;
  try {
    command = await load();
    if (args.includes('--help') || args.includes('-h')) {
      process.stdout.write(command.help);
      return EXIT.ok;
    }
    return await command.run(args);
  } catch (error) {
    return report(name, error, command?.failedCode);
  }
}

/** Prints an error in one line, an unexpected one in full. */
function report(name: string, error: unknown, failedCode: number = EXIT.failed): number {
  const redact = redactor([]);
  const foreseen = error instanceof Error && 'code' in error;
  const text = foreseen
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  process.stderr.write(`touchline ${name}: ${redact(text)}\n`);
  if (!(error instanceof UsageError || error instanceof ConfigError)) return failedCode;
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

touchline <command or service> --help shows more.
`;
}

function version(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return `touchline ${text}, node ${process.versions.node}`;
}
