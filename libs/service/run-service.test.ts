import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../test/setup/programs.ts';

/** Folder of the fixture as a bundle, which starts in a third of the time, and of its compiled code. It has no brokers, and no traces. */
const FOLDER = mkdtempSync(join(tmpdir(), 'touchline-fixture-'));
const FIXTURE = join(FOLDER, 'node_modules', 'fixture.mjs');
const SOURCE = join(import.meta.dirname, 'testing/run-service.fixture.ts');
const UNUSED = /^(#cluster\/access|#topics\/(acls|required-topics)|\.\/otel)/;
const resolveId = { filter: { id: UNUSED }, handler: (id: string) => ({ id, external: true }) };
beforeAll(() => bundle(dirname(FIXTURE), { fixture: SOURCE }, [{ name: 'unused', resolveId }]));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts the fixture. `out` and `log` grow with its output; `ended` resolves to its exit code or signal. */
function start(env: Record<string, string> = {}, args: string[] = [], command = [FIXTURE]) {
  const child = spawn(process.execPath, [...command, ...args], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: FOLDER, DRAIN_MS: '0', ...env },
    stdio: 'pipe',
  });
  children.push(child);
  const run = { child, out: '', log: '', ended: once(child, 'close').then(([code, by]) => code ?? by) };
  child.stdout?.on('data', (chunk) => (run.out += chunk));
  child.stderr?.on('data', (chunk) => (run.log += chunk));
  return run;
}

const said = (run: { out: string }, text: string) => expect.poll(() => run.out).toContain(text);

/** Returns the status of an answer of its server of metrics and health, whose port the log names. */
async function statusOf(run: { log: string }, path: string): Promise<number> {
  const line = run.log.split('\n').find((one) => one.includes('metrics and health'));
  const { port } = JSON.parse(line ?? '{}');
  return (await fetch(`http://127.0.0.1:${port}${path}`)).status;
}

describe('command line and settings', () => {
  test('prints its help with all settings', async () => {
    const run = start({}, ['--help']);
    expect(await run.ended).toBe(0);
    expect(run.out).toMatch(/^Usage: touchline fixture\n\nDoes nothing, well\.\n/);
    expect(run.out).toMatch(/METRICS_PORT +0 +HTTP port/);
    expect(run.log).toBe('');
  });

  test.each([[['--hlep']], [['something']]])('rejects %j', async (args) => {
    const run = start({}, args);
    expect(await run.ended).toBe(2);
    expect(run.log).toMatch(/^touchline fixture: .+\n$/);
  });

  test('names wrong settings without their secrets', async () => {
    const run = start({ METRICS_PORT: 'x', PIN: 'leak' });
    expect(await run.ended).toBe(2);
    expect(run.log).toBe(
      'fixture: These settings are wrong:\n' +
        '  METRICS_PORT: must be a whole number from 0 to 65535, is "x"\n' +
        '  PIN: must have 6 characters\n' +
        'See touchline fixture --help.\n',
    );
  });
});

describe('stopping', () => {
  test.each([
    ['SIGTERM', {}],
    ['SIGINT', { DRAIN_MS: '300000' }],
    ['SIGHUP', { DRAIN_MS: '300000' }],
  ] as const)('finishes its work on %s at once, and has logged only JSON', async (signal, env) => {
    const run = start(env);
    await said(run, 'started');
    run.child.kill(signal);
    expect(await run.ended).toBe(0);
    expect(run.out).toBe('started\nstop called\nstop done\n');
    const lines = run.log.trimEnd().split('\n');
    const logged = lines.map((line) => JSON.parse(line));
    expect(logged).toContainEqual(expect.objectContaining({ reason: signal }));
    expect(logged).toContainEqual(expect.objectContaining({ level: 40, msg: 'warning of Node' }));
    expect(run.log).not.toContain('000000');
  });

  test('stops when the shell of npm has ended, which got a signal alone', async () => {
    const spawned = `require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' })`;
    const run = start({ npm_execpath: 'npm' }, [], ['-e', spawned, FIXTURE]);
    await said(run, 'started');
    run.child.kill('SIGKILL');
    await run.ended;
    expect(run.out).toContain('stop done');
    expect(run.log).toContain('"reason":"parent gone"');
  });

  test('is not ready after SIGTERM, still serves for DRAIN_MS, then stops', async () => {
    const run = start({ DRAIN_MS: '2000' });
    await said(run, 'started');
    // Without TOUCHLINE_PARENT_PIPE its end is no request to stop.
    run.child.stdin?.end();
    const status = (path: string) => statusOf(run, path);
    expect(await status('/health/ready')).toBe(200);
    const askedAt = performance.now();
    run.child.kill('SIGTERM');
    await expect.poll(() => status('/health/ready')).toBe(503);
    expect(await status('/health/live')).toBe(200);
    expect(run.out).not.toContain('stop called');
    expect(await run.ended).toBe(0);
    expect(performance.now() - askedAt).toBeGreaterThan(2_000);
    expect(run.log).not.toContain('parent gone');
    expect(run.out).toContain('stop done');
  });

  test('stops at once when it fails while it drains', async () => {
    const run = start({ DRAIN_MS: '300000', MODE: 'reports-later' });
    await said(run, 'started');
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(1);
    expect(run.out).toContain('stop done');
  });

  test('treats signals within a moment as one request', async () => {
    const run = start({ MODE: 'asked-twice' });
    expect(await run.ended).toBe(0);
    expect(run.out).toContain('stop done');
  });

  test('is forced by a second signal', async () => {
    const run = start({ MODE: 'hangs' });
    await said(run, 'started');
    run.child.kill('SIGTERM');
    await said(run, 'stop called');
    const again = setInterval(() => run.child.kill('SIGTERM'), 50);
    expect(await run.ended.finally(() => clearInterval(again))).toBe(128 + 15);
    expect(run.log).toContain('stopped by force');
  });

  test('aborts a stop that takes too long', async () => {
    const run = start({ MODE: 'hangs', STOP_WITHIN_MS: '500' });
    await said(run, 'started');
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(1);
    expect(run.log).toContain('did not stop in time');
  });

  test.each(['slow-start', 'deaf-start'])('is live in its %s, not ready', async (mode) => {
    const run = start({ MODE: mode });
    await said(run, 'starting');
    expect(await statusOf(run, '/health/live')).toBe(200);
    expect(await statusOf(run, '/health/ready')).toBe(503);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(run.log).not.toContain('"level":60');
  });
});

test.each([
  ['fails-to-start', 'no broker', ''],
  ['rejects', 'nobody listens', 'stop done'],
  ['throws', 'JSON', 'stop done'],
  ['reports', 'first', 'stop done'],
])('failing: %s: logs it once, stops, and exits with 1', async (mode, message, out) => {
  const run = start({ MODE: mode });
  expect(await run.ended).toBe(1);
  const fatal = run.log.split('\n').filter((line) => line.includes('"level":60'));
  expect(fatal).toHaveLength(1);
  expect(fatal[0]).toContain(message);
  expect(run.out).toContain(out);
});

test.each(['pipe', 'ipc'])('a parent that ends is noticed by the %s after a kill -9', async (way) => {
  const options = way === 'pipe' ? "['pipe','inherit','inherit']" : "['ignore','inherit','inherit','ipc']";
  const program = `require('node:child_process').spawn(process.execPath, [${JSON.stringify(FIXTURE)}], { stdio: ${options} })`;
  const run = start(way === 'pipe' ? { TOUCHLINE_PARENT_PIPE: '1' } : {}, [], ['-e', program]);
  await said(run, 'started');
  run.child.kill('SIGKILL');
  // Its output ends with the last process that holds it: the fixture, not the killed parent.
  expect(await run.ended).toBe('SIGKILL');
  expect(run.out).toContain('stop done');
});
