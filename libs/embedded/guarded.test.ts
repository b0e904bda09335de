import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { spawnGuarded } from './guarded.ts';

/** Long enough for a busy machine. */
const POLL = { timeout: 50_000 };

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
const parents = new Set<ChildProcess>();
afterEach(async () => {
  for (const parent of parents) parent.kill('SIGKILL');
  parents.clear();
});

const WILLING = 'trap "echo asked; exit" TERM; echo ready; while :; do sleep 0.1; done';
const STUBBORN = 'trap "" TERM; echo ready; while :; do sleep 1; done';

function start(script: string, command = 'sh') {
  const outputFile = join(folder, 'output');
  return spawnGuarded({
    command,
    args: ['-c', script],
    env: process.env,
    cwd: folder,
    outputFile,
    graceSeconds: 1,
  });
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Starts a separate process that starts the guarded script, prints its pid and keeps running. */
async function parentOf(
  script: string,
  graceSeconds: number,
): Promise<{ parent: ChildProcess; pid: number }> {
  const program = `
    const { spawnGuarded } = await import(process.argv[1]);
    const [, , output, script] = process.argv;
    const child = await spawnGuarded(
      { command: 'sh', args: ['-c', script], env: process.env, outputFile: output, graceSeconds: ${graceSeconds} });
    console.log(child.pid);
    setInterval(() => {}, 1000);
  `;
  const module = join(import.meta.dirname, 'guarded.ts');
  const args = ['--input-type=module', '--eval', program, module, join(folder, 'output'), script];
  const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  parents.add(parent);
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  return { parent, pid: Number(line.toString()) };
}

test('runs the command as the child itself, and captures output and exit', async () => {
  const child = await start('echo $$; pwd; echo oops >&2; exit 7');
  expect(await child.exited).toEqual({ code: 7, signal: null });
  expect(child.running()).toBe(false);
  expect(await readFile(join(folder, 'output'), 'utf8')).toBe(`${child.pid}\n${folder}\noops\n`);
  child.signal('SIGTERM'); // nothing happens any more
});

test('stops gracefully first, then by force', async () => {
  const willing = await start('exec sleep 100');
  expect(await willing.stop(60_000)).toEqual({ code: null, signal: 'SIGTERM' });
  const stubborn = await start(STUBBORN);
  await expect.poll(output, POLL).toBe('ready\n');
  expect(await stubborn.stop(300)).toEqual({ code: null, signal: 'SIGKILL' });
});

const output = () => readFile(join(folder, 'output'), 'utf8');

test.each([
  ['that ends on SIGTERM', WILLING, 60, 'ready\nasked\n'],
  ['that ignores SIGTERM', STUBBORN, 1, 'ready\n'],
])('ends a command %s after its parent was killed', async (_what, script, graceSeconds, said) => {
  const { parent, pid } = await parentOf(script, graceSeconds);
  await expect.poll(output, POLL).toBe('ready\n');
  expect(runs(pid)).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(() => runs(pid), POLL).toBe(false);
  expect(await output()).toBe(said);
});

test('reports the exit of a command that cannot be started', async () => {
  const child = await start('', join(folder, 'none'));
  expect((await child.exited).code).toBe(127);
});
