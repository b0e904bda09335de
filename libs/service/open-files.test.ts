import { expect, test, vi } from 'vitest';
import { requireOpenFiles, watchOpenFiles } from './open-files.ts';

const limits = (soft: string) =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                 524288               files\n`;

test.each([
  ['127', {}, /may open 127 files and connections, and needs 128: raise the limit/],
  [
    '1151',
    { WEBHOOK_MAX_CONNECTIONS: 1_024 },
    /needs 1152: lower WEBHOOK_MAX_CONNECTIONS, or raise the limit/,
  ],
])('refuses %s open files with the settings %j', (soft, config, why) => {
  expect(() => requireOpenFiles(config, limits(soft))).toThrow(
    expect.objectContaining({ code: 'TOO_FEW_FILES', message: expect.stringMatching(why) }),
  );
});

test.each([
  ['128', {}],
  ['1152', { WEBHOOK_MAX_CONNECTIONS: 1_024 }],
  ['unlimited', { WEBHOOK_MAX_CONNECTIONS: 100_000 }],
])('accepts %s open files with the settings %j', (soft, config) => {
  expect(() => requireOpenFiles(config, limits(soft))).not.toThrow();
});

test('checks nothing where the system does not tell its limits', () => {
  expect(() => requireOpenFiles({}, '')).not.toThrow();
});

test('says once that no file can be opened, and once that files can be opened again', () => {
  vi.useFakeTimers();
  try {
    const checks = [true, false, false, true, false, true, true, true, false];
    const said: string[] = [];
    const note = (word: string) => () => void said.push(`${word} ${checks.length}`);
    const log = { error: note('gone'), info: note('back') };
    watchOpenFiles(log, () => checks.shift() ?? true);
    vi.advanceTimersByTime(27_000);
    expect(said).toEqual(['gone 7', 'back 2', 'gone 0']);
  } finally {
    vi.useRealTimers();
  }
});
