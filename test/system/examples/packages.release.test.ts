/** The npm packages, installed from their files in an empty folder: Touchline runs, and the code of the READMEs of `libs/`. */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { eventMessage, incidentMessage, KICK_OFF } from '#ingestion/testing/messages.ts';
import { normalized } from '#ingestion/testing/normalized.ts';
import { packTouchline } from '../../../scripts/release.ts';
import { backbone } from '../../setup/backbone.ts';
import { received } from '../../support/api.ts';
import { connectionEnv } from '../../support/environment.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { DEADLINE_MS } from '../../support/poll.ts';
import { TestService } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { installed, packed } from './reader-examples.ts';

const ROOT = join(import.meta.dirname, '../../..');
const EVENT = 7_000_001;

function codeOf(readme: string): string {
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, readme), 'utf8')) ?? [];
  return code;
}

test('a reader installed from its file is told goals, scorers, cancellations and guards', async () => {
  const folder = temporaryFolder();
  await installed(folder, [packed('reader')]);
  mkdirSync(join(folder, 'node_modules/@platformatic'));
  symlinkSync(
    join(ROOT, 'node_modules/@platformatic/kafka'),
    join(folder, 'node_modules/@platformatic/kafka'),
  );
  writeFileSync(join(folder, 'follow.ts'), codeOf('libs/reader/README.md'));
  const pipeline = await Pipeline.create(backbone());
  pipeline.startProcessor();
  const feed = await pipeline.openFeed();
  onTestFinished(() => feed.close());
  const ut = Math.floor(Date.now() / 1000);
  const goal = (n: number, changes: Record<string, unknown>) =>
    feed.send(received(incidentMessage({ id: 10 + n, ut: ut + n }, changes)));
  await feed.send(received(eventMessage({ id: 1, ut }), incidentMessage({ id: 2, ut }, KICK_OFF)));
  await goal(1, { confirmation: 'confirmed' });
  await pipeline.settled();

  const child = spawn(process.execPath, ['follow.ts'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...connectionEnv(pipeline.connection) },
  });
  onTestFinished(() => void child.kill());
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const says = (start: string) =>
    expect.poll(() => lines.join('\n'), { timeout: DEADLINE_MS }).toContain(start);
  await says(`goal ${EVENT} null 10`);
  await says('ready');
  await says(`guard ${EVENT} halted`);
  await goal(2, { confirmation: 'confirmed', subparticipant_id: 9, subparticipant_name: 'A. Nine' });
  await says(`scorer ${EVENT} A. Nine`);
  await goal(3, { confirmation: 'cancelled', subparticipant_id: 9, subparticipant_name: 'A. Nine' });
  await says(`cancelled ${EVENT}`);
});

test('Touchline installed from its file runs a service, and says its version', async () => {
  const folder = temporaryFolder();
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  const run = promisify(execFile);
  await run('tar', ['-xzf', packTouchline(folder)], { cwd: folder });
  renameSync(join(folder, 'package'), join(modules, 'touchline'));
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  const { version } = JSON.parse(readFileSync(join(modules, 'touchline/package.json'), 'utf8'));
  const bin = join(modules, 'touchline/bin/touchline.js');
  expect(await run(process.execPath, [bin, '--version'], { cwd: folder })).toEqual({
    stdout: expect.stringContaining(`touchline ${version},`),
    stderr: '',
  });

  const { connection } = await Pipeline.create(backbone());
  // Its listener is a thread.
  const receiver = new TestService(
    spawn(process.execPath, [bin, 'webhook-receiver'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env.PATH,
        ...connectionEnv(connection),
        WEBHOOK_PORT: '0',
        WEBHOOK_SECRET: 'x'.repeat(32),
      },
    }),
  );
  onTestFinished(() => receiver.kill());
  await receiver.logged('"POST /webhook"');
  const health = await fetch(`http://127.0.0.1:${receiver.opsPort}/health`);
  expect(await health.json()).toMatchObject({ version, live: true });
});

test('the laws installed from their file derive a match', async () => {
  const folder = temporaryFolder();
  await installed(folder, [packed('laws')]);
  const messages = [
    normalized(eventMessage({ id: 1 })),
    normalized(incidentMessage({ id: 2 }, { confirmation: 'confirmed' })),
  ];
  const [imports = '', ...code] = codeOf('libs/laws/README.md').split('\n');
  writeFileSync(
    join(folder, 'laws.ts'),
    [imports, `const messages = ${JSON.stringify(messages)} as never[];`, ...code].join('\n'),
  );
  const { stdout } = await promisify(execFile)(process.execPath, ['laws.ts'], { cwd: folder });
  expect(stdout).toContain('incident_added');
  expect(stdout.trim().split('\n').at(-1)).toMatch(
    /^\{ home: 1, away: 0 \} \{ home: 1, away: 0 \} (true|false) \[/,
  );
});
