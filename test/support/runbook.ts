import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject } from 'vitest';
import { atEnd } from './at-end.ts';
import { LAUNCHER } from './bundled.ts';
import { bareEnvironment } from './environment.ts';

const FOLDER = fileURLToPath(new URL('../../docs/guides/runbooks/', import.meta.url));
/** Matches blocks of commands that the test runs; other blocks of a page are for readers only. */
const BLOCK = /^ *```sh runbook\n([\s\S]*?)^ *```$/gm;

/** Maximum size of the output, bytes: a whole topic as JSON. */
const MAX_OUTPUT = 256 * 1024 * 1024;

/** Output of a block's commands, and the exit code of the first failed command, else 0. */
export type BlockRun = { readonly code: number; readonly out: string; readonly err: string };

/**
 * The pages of docs/guides/runbooks with commands to run; `without`: names of pages that another test runs.
 */
export class RunbookPages {
  readonly #pages: ReadonlyMap<string, Runbook>;

  constructor(without: readonly string[] = []) {
    const pages = readdirSync(FOLDER).map((file) => [file.slice(0, -'.md'.length), blocksOf(file)] as const);
    const own = pages.filter(([name, blocks]) => blocks.length > 0 && !without.includes(name));
    this.#pages = new Map(own.map(([name, blocks]) => [name, new Runbook(blocks)]));
  }

  page(name: string): Runbook {
    return this.#pages.get(name) ?? expect.fail(`docs/guides/runbooks/${name}.md has no commands`);
  }

  /** Names of the pages with blocks that have not run yet. */
  get left(): string[] {
    return [...this.#pages].filter(([, runbook]) => runbook.left > 0).map(([name]) => name);
  }
}

/** A page of docs/guides/runbooks. Runs its commands verbatim, so that page and test cannot differ. */
class Runbook {
  readonly #blocks: readonly string[];
  #next = 0;

  constructor(blocks: readonly string[]) {
    this.#blocks = blocks;
  }

  get left(): number {
    return this.#blocks.length - this.#next;
  }

  /** Runs the next block, with only this environment. */
  next(env: Readonly<Record<string, string>>): Promise<BlockRun> {
    const block = this.#blocks[this.#next] ?? expect.fail('the page has no further commands');
    this.#next += 1;
    return runBlock(block, env);
  }

  /** Runs the next block, which must succeed, and returns its output. */
  async succeeds(env: Readonly<Record<string, string>>): Promise<string> {
    const { code, out, err } = await this.next(env);
    expect(code, out + err).toBe(0);
    return out;
  }

  again(env: Readonly<Record<string, string>>): Promise<BlockRun> {
    this.#next -= 1;
    return this.next(env);
  }
}

/** Whether the last column of a printed table of positions is 0 in every row. */
export function isBehindNothing(printed: string): boolean {
  const rows = printed
    .trimEnd()
    .split('\n')
    .filter((line) => !line.includes('behind'));
  return rows.length > 0 && rows.every((row) => /\s0$/.test(row));
}

function blocksOf(file: string): string[] {
  return [...readFileSync(join(FOLDER, file), 'utf8').matchAll(BLOCK)].map(([, block = '']) => block);
}

/** Runs commands of a page in a shell, with only this environment. */
export function runBlock(
  block: string,
  env: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<BlockRun> {
  const options = { cwd, env: { ...shellEnvironment(), ...env }, maxBuffer: MAX_OUTPUT };
  return new Promise((resolve) => {
    execFile('sh', ['-e', '-c', block], options, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err }),
    );
  });
}

/** Starts commands of a page that go on, in the background of a shell. They end after the test or the file. */
export function startBlock(block: string, env: Readonly<Record<string, string>>, cwd?: string): StartedBlock {
  const child = spawn('sh', ['-e', '-c', `${block}\nwait`], {
    cwd,
    detached: true,
    env: { ...shellEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const started = { text: '', stop: async () => {} };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      started.text += part;
    });
  const ended = once(child, 'close');
  // The shell and its commands are one group, as of a terminal.
  const signal = (name: NodeJS.Signals): void => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), name);
  };
  atEnd(() => signal('SIGKILL'));
  started.stop = async () => {
    signal('SIGTERM');
    await ended;
  };
  return started;
}

/** Commands that go on: what they have written so far, and their end by SIGTERM. */
export type StartedBlock = { readonly text: string; readonly stop: () => Promise<void> };

function shellEnvironment(): Record<string, string> {
  const inherited = bareEnvironment();
  const path = [commandFolder(), dirname(process.execPath), inherited.PATH].join(delimiter);
  return { ...inherited, PATH: path };
}

let folder: string | undefined;

/**
 * Returns a folder with an `npx` that starts this tree's `touchline` without npm, which would take a second
 * each time.
 */
function commandFolder(): string {
  if (folder !== undefined) return folder;
  folder = mkdtempSync(join(inject('folder'), 'npx-'));
  const npx = join(folder, 'npx');
  writeFileSync(npx, `#!/bin/sh\n[ "$1" = touchline ] || exit 127\nshift\nexec node '${LAUNCHER}' "$@"\n`);
  chmodSync(npx, 0o755);
  return folder;
}
