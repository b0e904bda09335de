import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type LicenceRules, licenceFaults } from './licences.ts';

const RULES: LicenceRules = { shipped: ['MIT', 'Apache-2.0'], development: ['MPL-2.0'], read: {} };
const faultsOf = (license: string | undefined, dev = false, rules = RULES): string[] =>
  licenceFaults(
    {
      '': { license: 'Apache-2.0' },
      'node_modules/a/node_modules/@b/c': { version: '1.0.0', dev, ...(license && { license }) },
    },
    rules,
  );

describe('licenceFaults', () => {
  test.each(['MIT', '(GPL-3.0 OR MIT)', 'GPL-3.0 OR Apache-2.0', 'Apache-2.0 AND MIT'])(
    'accepts %s',
    (licence) => {
      expect(faultsOf(licence)).toEqual([]);
    },
  );

  test.each(['GPL-3.0', 'MIT AND GPL-3.0', 'MIT AND (MIT OR GPL-3.0)', 'MPL-2.0', 'SEE LICENSE IN LICENSE'])(
    'refuses %s',
    (licence) => {
      expect(faultsOf(licence)).toEqual([`@b/c@1.0.0: ${licence}`]);
    },
  );

  test('accepts more licences in development', () => {
    expect(faultsOf('MPL-2.0', true)).toEqual([]);
    expect(faultsOf('GPL-3.0', true)).toEqual(['@b/c@1.0.0, development: GPL-3.0']);
  });

  test('applies a manually read licence to exactly its version, and reports an unused entry', () => {
    expect(faultsOf(undefined)).toEqual(['@b/c@1.0.0: no licence']);
    expect(faultsOf(undefined, false, { ...RULES, read: { '@b/c@1.0.0': 'MIT' } })).toEqual([]);
    expect(faultsOf(undefined, false, { ...RULES, read: { '@b/c@1.0.1': 'MIT' } })).toEqual([
      '@b/c@1.0.0: no licence',
      '@b/c@1.0.1: is not installed, remove it from the rules',
    ]);
  });
});

test('every package of the lock file has an accepted licence', () => {
  const read = (file: string) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
  expect(licenceFaults(read('../package-lock.json').packages, read('licences.json'))).toEqual([]);
});
