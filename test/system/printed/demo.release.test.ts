/** Runs the commands that `npm start` prints: beside it while it plays, and after its end on the data that it leaves. */
import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { commandsIn } from '../../../cli/testing/printed-commands.ts';
import { bareEnvironment } from '../../support/environment.ts';
import { until } from '../../support/poll.ts';
import { runBlock } from '../../support/runbook.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchline, written } from '../../support/touchline.ts';
import { runs } from './shell.ts';

/** Long enough for some commands on a busy machine. */
const PLAYED_SECONDS = '90';
const PORTS = {
  WEBHOOK_PORT: '0',
  API_PORT: '0',
  TOOLS_PORT: '0',
  DISPATCHER_PORT: '0',
  KAFKA_PORT: '0',
  REGISTRY_PORT: '0',
};

test('commands find the platform of npm start while it plays, and what it prints at its end works', async () => {
  const DATA_DIR = temporaryFolder();
  const settings = { ...PORTS, DATA_DIR, HOME: process.env.HOME ?? '' };
  const demo = touchline(['demo'], { ...settings, MATCHES: '4', DURATION: PLAYED_SECONDS, FAULTS: 'some' });
  await written(demo, 'creating topics');
  // As soon as the topics are there.
  await until('a command reads them', async () => {
    const { code, err } = await runBlock('npx touchline live', { DATA_DIR });
    expect(err).not.toContain('no broker: ');
    return code === 0 ? true : undefined;
  });
  for (const command of ['doctor', 'position match-processor']) await runs(command, { DATA_DIR });
  expect(demo.child.exitCode, demo.err).toBeNull();
  expect(await demo.ended, demo.out + demo.err).toBe(0);

  const block = /Read the topics:\n([\s\S]*?)\nOr have it/.exec(demo.out)?.[1] ?? expect.fail(demo.out);
  const [enter = '', up = '', , ...reads] = block.split('\n').map((line) => line.trim());
  expect(up).toMatch(/npm run up$/);
  expect(reads.flatMap(commandsIn)).toEqual([
    'tail match-state --from-beginning --exit-at-end',
    'tail match-transitions --from-beginning --exit-at-end',
    'dead-letters list',
  ]);
  // With its npm and the services it starts a group of its own.
  const again = spawn('sh', ['-c', `${enter}\n${up}`], {
    detached: true,
    env: { ...bareEnvironment(), ...PORTS, HOME: process.env.HOME },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void process.kill(-(again.pid ?? 0), 'SIGKILL'));
  let printed = '';
  for (const stream of [again.stdout, again.stderr])
    stream.on('data', (part: Buffer) => (printed += String(part)));
  await until('it is up', () => {
    expect(again.exitCode, printed).toBeNull();
    return printed.includes('Touchline is up') ? true : undefined;
  });
  for (const read of reads) {
    const { code, out, err } = await runBlock(`${enter}\n${read}`, {});
    expect(code, read + out + err).toBe(0);
    expect(out, read).not.toBe('');
  }
  process.kill(-(again.pid ?? 0), 'SIGTERM');
  await until('it has ended', () => again.exitCode ?? again.signalCode ?? undefined);
});
