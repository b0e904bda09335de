import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createLogger } from '#service/logger.ts';
import { readSecret, SecretFileError } from './secret.ts';

const folder = mkdtempSync(join(tmpdir(), 'touchline-secret-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('reads a secret from its file each time, without line end, and redacts it from then on', () => {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ name: 'test', level: 'info', stream });
  const file = join(folder, 'password');
  for (const [text, secret] of [
    ['first-secret\n', 'first-secret'],
    [' second secret \r\n', ' second secret '],
  ] as const) {
    writeFileSync(file, text);
    expect(readSecret({ file })).toBe(secret);
    log.warn({ err: new Error(`refused ${secret}`) }, 'connect');
  }
  expect(lines).toHaveLength(2);
  expect(lines.join()).toContain('refused [redacted]');
  expect(lines.join()).not.toMatch(/(first|second).secret/);
});

test('names a file that cannot be read, with the reason', () => {
  const file = join(folder, 'none');
  expect(() => readSecret({ file })).toThrow(SecretFileError);
  expect(() => readSecret({ file })).toThrow(`the file ${file} cannot be read (ENOENT)`);
  expect(readSecret('as it is\n')).toBe('as it is\n');
});
