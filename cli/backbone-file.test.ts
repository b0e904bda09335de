import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { backboneFile } from './backbone-file.ts';

const address = {
  brokers: ['127.0.0.1:9092'],
  registryUrl: 'http://127.0.0.1:8085',
  topicPrefix: 'touchline.',
};

test('returns the address while its writer runs, and null after its removal', () => {
  const dataDir = join(temporaryFolder(), 'new', 'folder');
  const file = backboneFile(dataDir);
  expect(file.read()).toBeNull();
  file.write(address);
  expect(backboneFile(dataDir).read()).toEqual(address);
  expect(readdirSync(dataDir)).not.toContain(`backbone.json.${process.pid}`);
  file.remove();
  expect(file.read()).toBeNull();
});

test('ignores a file whose writer has ended', () => {
  const file = backboneFile(temporaryFolder());
  const { pid } = spawnSync(process.execPath, ['--version']);
  writeFileSync(file.path, JSON.stringify({ ...address, pid }));
  expect(file.read()).toBeNull();
  file.remove();
  expect(readdirSync(join(file.path, '..'))).toEqual(['backbone.json']);
});

test('ignores an invalid file', () => {
  const file = backboneFile(temporaryFolder());
  writeFileSync(file.path, '{"brokers":[');
  expect(file.read()).toBeNull();
});

const FOLDERS = 25;
/** Longer than a process waits for a lock that another one holds. */
const EVERY_MS = 150;

/** Writes the file of each folder at a given time, prints which of them it could write, and lives until its input ends. */
const RACER = `
  const [module, first, every, ...folders] = process.argv.slice(1);
  const { backboneFile } = await import(module);
  const won = [];
  for (const [at, folder] of folders.entries()) {
    while (Date.now() < Number(first) + Number(every) * at);
    const file = backboneFile(folder);
    try {
      file.write({ brokers: [String(process.pid)], registryUrl: '', topicPrefix: '' });
      won.push(folder);
    } catch (error) {
      if (error.code !== 'COMMAND_FAILED') throw error;
      file.remove();
    }
  }
  console.log(JSON.stringify(won));
  process.stdin.resume();
`;

test('has one writer, however many processes start at once', async () => {
  const folders = Array.from({ length: FOLDERS }, () => temporaryFolder());
  const module = join(import.meta.dirname, 'backbone-file.ts');
  // After all of them have loaded their modules.
  const first = String(Date.now() + 1_500);
  const args = ['--input-type=module', '--eval', RACER, module, first, String(EVERY_MS), ...folders];
  const racers = Array.from({ length: 2 }, () =>
    spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const won = await Promise.all(
    racers.map(async ({ pid, stdout }) => {
      const [line] = (await once(createInterface(stdout), 'line')) as [string];
      return { pid, folders: JSON.parse(line) as string[] };
    }),
  );
  const winners = won.flatMap((one) => one.folders.map((folder) => ({ folder, pid: one.pid })));
  expect(winners.map(({ folder }) => folder).sort()).toEqual([...folders].sort());
  for (const { folder, pid } of winners) {
    const content = JSON.parse(readFileSync(join(folder, 'backbone.json'), 'utf8'));
    expect(content).toMatchObject({ pid, brokers: [String(pid)] });
  }
  for (const { stdin } of racers) stdin.end();
});
