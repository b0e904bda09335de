import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { keptSecret } from './platform.ts';
import { platformSettings } from './platform-settings.ts';

const { CLIENTS_KEY: key, WEBHOOK_SECRET: secret } = platformSettings;
const given = undefined;

let file: string;
beforeEach(() => {
  file = join(temporaryFolder(), 'kept');
});

test('creates a secret that only its owner can read, and keeps it', () => {
  const made = keptSecret(file, key, given);
  expect(made).toMatchObject({ file, isNew: true });
  expect(made.secrets).toMatch(/^[\w-]{32}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(keptSecret(file, key, given)).toEqual({ ...made, isNew: false });
});

test('returns a given secret, and writes nothing', () => {
  expect(keptSecret(file, key, 'x')).toEqual({ secrets: 'x', file: null, isNew: false });
  expect(existsSync(file)).toBe(false);
});

test.each([
  ['a key of 64 characters', key, 'k'.repeat(64)],
  ['two webhook secrets, while one is rotated', secret, `${'n'.repeat(32)},${'o'.repeat(32)}`],
])('returns %s of an existing file', (_name, setting, secrets) => {
  writeFileSync(file, `${secrets}\n`);
  expect(keptSecret(file, setting, given)).toEqual({ secrets, file, isNew: false });
  expect(readFileSync(file, 'utf8')).toBe(`${secrets}\n`);
});

test.each([
  ['a key', key, 'must have at least 32 characters'],
  ['a webhook secret', secret, 'must have exactly 32 characters each'],
])('refuses a file without %s, and neither shows nor changes it', (_name, setting, problem) => {
  writeFileSync(file, 'hidden-value');
  const refused = () => keptSecret(file, setting, given);
  expect(refused).toThrow(`${file} ${problem}`);
  expect(refused).not.toThrow('hidden-value');
  expect(readFileSync(file, 'utf8')).toBe('hidden-value');
});

test('replaces an empty file', () => {
  writeFileSync(file, '\n');
  expect(keptSecret(file, key, given)).toMatchObject({ isNew: true });
});
