import { expect, test } from 'vitest';
import { FilesRule, requireOpenFiles } from './open-files.ts';

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
  const rule = new FilesRule();
  const checks = [true, false, false, true, false, true, true, true, false];
  expect(checks.map((canOpen) => rule.checked(canOpen))).toEqual([
    null,
    'gone',
    null,
    null,
    null,
    null,
    'back',
    null,
    'gone',
  ]);
});
