/** Prepares, starts and reads the example readers of docs/examples/reader. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { packLibrary } from '../../../scripts/release.ts';
import { atEnd } from '../../support/at-end.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { cached, compiledByMaven, HAS_MAVEN, JAVA, runs } from './prepare.ts';

const ROOT = join(import.meta.dirname, '../../..');
const EXAMPLES = join(ROOT, 'docs/examples/reader');
const run = promisify(execFile);

type Command = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** An example in a language. */
export type ReaderExample = {
  readonly name: string;
  readonly present: boolean;
  readonly prepare: () => Promise<Command>;
};

export const READER_EXAMPLES: readonly ReaderExample[] = [
  { name: 'TypeScript', present: true, prepare: prepareTypeScript },
  { name: 'Python', present: runs('python3', '-m', 'pip', '--version'), prepare: preparePython },
  { name: 'Java', present: HAS_MAVEN, prepare: prepareJava },
];

export function packed(name: 'reader' | 'laws'): string {
  return packLibrary(name, temporaryFolder());
}

/** Installs packed packages in an empty folder, without the registry. */
export async function installed(folder: string, files: readonly string[]): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...files], { cwd: folder });
}

async function prepareTypeScript(): Promise<Command> {
  const folder = temporaryFolder();
  const modules = join(folder, 'node_modules');
  await installed(folder, [packed('reader')]);
  mkdirSync(join(modules, '@kafkajs'));
  for (const name of ['kafkajs', '@kafkajs/confluent-schema-registry'])
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  for (const name of ['package.json', 'reader.ts'])
    cpSync(join(EXAMPLES, 'typescript', name), join(folder, name));
  return { command: process.execPath, args: ['reader.ts'], cwd: folder };
}

async function preparePython(): Promise<Command> {
  const cwd = join(EXAMPLES, 'python');
  // Wheels depend on the version of Python.
  const { stdout: version } = await run('python3', ['--version']);
  const name = `reader-${version.trim().replace(' ', '-').toLowerCase()}`;
  const packages = await cached(name, [join(cwd, 'requirements.txt')], (folder) =>
    run('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, '-r', 'requirements.txt'], {
      cwd,
    }),
  );
  const env = { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' };
  return { command: 'python3', args: ['reader.py'], cwd, env };
}

async function prepareJava(): Promise<Command> {
  const cwd = join(EXAMPLES, 'java');
  const sources = ['Reader.java', 'MatchReader.java', 'TradingRule.java'];
  const path = await compiledByMaven('reader-java', cwd, sources);
  return { command: JAVA ?? 'java', args: ['-XX:TieredStopAtLevel=1', '-cp', path, 'Reader'], cwd };
}

type Score = { readonly home: number; readonly away: number };

/** A line of an example's output: docs/guides/reading.md. */
export type PrintedLine =
  | { readonly type: 'assigned'; readonly partitions: readonly number[] }
  | { readonly type: 'caught_up'; readonly partition: number }
  | {
      readonly type: 'goal';
      readonly event: number;
      readonly version: number;
      readonly incident: string;
      readonly status: 'stands' | 'cancelled';
      readonly team: number | null;
      readonly player: string | null;
      readonly minute: string | null;
      readonly before: Score | null;
      readonly score: Score | null;
    }
  | { readonly type: 'gap'; readonly event: number; readonly version: number; readonly until: number }
  | {
      readonly type: 'guard';
      readonly event: number;
      readonly permission: 'safe' | 'halted' | 'not_in_play';
      readonly safe: boolean;
      readonly reasons: readonly string[];
    };

/** A running example, which is stopped after the test or file that started it. */
export class ReaderProcess {
  readonly lines: PrintedLine[] = [];
  #log = '';
  readonly #child: ChildProcess;

  constructor({ command, args, cwd, env }: Command, settings: Readonly<Record<string, string>>) {
    const { PATH = '', HOME = '' } = process.env;
    this.#child = spawn(command, args, {
      cwd,
      env: { PATH, HOME, ...env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    atEnd(() => this.#child.kill('SIGKILL'));
    const { stdout, stderr } = this.#child;
    if (stdout !== null) createInterface(stdout).on('line', (line) => this.lines.push(JSON.parse(line)));
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = `${this.#log}${text}`.slice(-4_000);
    });
  }

  /** The partitions of its last assignment; undefined before the first. Throws when it has exited. */
  get assigned(): readonly number[] | undefined {
    if (this.#child.exitCode !== null)
      throw new Error(`it ended with ${this.#child.exitCode}:\n${this.#log}`);
    return this.lines.findLast((line) => line.type === 'assigned')?.partitions;
  }

  get isCaughtUp(): boolean {
    const assigned = this.assigned;
    const since = this.lines.findLastIndex(({ type }) => type === 'assigned');
    const done = this.lines.slice(since).flatMap((line) => (line.type === 'caught_up' ? line.partition : []));
    return assigned !== undefined && assigned.length > 0 && assigned.every((one) => done.includes(one));
  }

  /** The last status of each goal, by `<event>/<incident>`. */
  get goals(): Record<string, string> {
    const last = this.lines.flatMap((line): [string, string][] =>
      line.type === 'goal' ? [[`${line.event}/${line.incident}`, line.status]] : [],
    );
    return Object.fromEntries(last.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  }

  guards(): Map<number, Extract<PrintedLine, { readonly type: 'guard' }>> {
    return new Map(
      this.lines.flatMap((line) => (line.type === 'guard' ? [[line.event, line] as const] : [])),
    );
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
