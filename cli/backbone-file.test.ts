import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  expect(backboneFile(dataDir).read()).toMatchObject(address);
  expect(() => backboneFile(dataDir).write(address)).toThrow('belongs to another process');
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
