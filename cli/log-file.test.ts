import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { logFile } from './problem-lines.ts';

test('keeps the file and one before it within a bound', () => {
  const path = join(temporaryFolder(), 'logs', 'a.log');
  const problems: string[] = [];
  const log = () => logFile(path, (line) => problems.push(line), 10);
  const first = log();
  for (const line of ['one', 'two', 'three']) first(line);
  // A process that starts again continues the file.
  log()('four');
  expect([readFileSync(path, 'utf8'), readFileSync(`${path}.1`, 'utf8')]).toEqual(['four\n', 'three\n']);
  expect(problems).toEqual([]);
});

test('reports once that it cannot be written, and once that it can again', () => {
  const path = join(temporaryFolder(), 'a.log');
  const problems: string[] = [];
  const log = logFile(path, (line) => problems.push(line));
  mkdirSync(path);
  log('one');
  log('two');
  rmSync(path, { recursive: true });
  log('three');
  expect(problems).toEqual([
    expect.stringMatching(/a\.log cannot be written, its lines are lost: EISDIR/),
    expect.stringMatching(/a\.log is written again; 2 lines are lost/),
  ]);
  expect(readFileSync(path, 'utf8')).toBe('three\n');
});

test.runIf(process.platform === 'linux')('goes on without a full disk', () => {
  const problems: string[] = [];
  logFile('/dev/full', (line) => problems.push(line))('one');
  expect(problems).toEqual([expect.stringContaining('cannot be written, its lines are lost: ENOSPC')]);
});
