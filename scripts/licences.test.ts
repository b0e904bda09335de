import { expect, test } from 'vitest';
import { type LicenceRules, licenceFaults } from './licences.ts';

const RULES: LicenceRules = {
  shipped: ['MIT', 'Apache-2.0'],
  development: ['MPL-2.0'],
  read: { '@b/c@2.0.0': 'MIT' },
};

test.each([
  ['MIT', {}, []],
  ['(GPL-3.0 OR MIT)', {}, []],
  ['Apache-2.0 AND MIT', {}, []],
  ['MPL-2.0', { dev: true }, []],
  [undefined, { version: '2.0.0' }, []],
  [undefined, {}, ['@b/c@1.0.0: no licence']],
  ['GPL-3.0', {}, ['@b/c@1.0.0: GPL-3.0']],
  ['GPL-3.0', { dev: true }, ['@b/c@1.0.0, development: GPL-3.0']],
  ['MPL-2.0', {}, ['@b/c@1.0.0: MPL-2.0']],
  ['MIT AND GPL-3.0', {}, ['@b/c@1.0.0: MIT AND GPL-3.0']],
  ['MIT AND (MIT OR GPL-3.0)', {}, ['@b/c@1.0.0: MIT AND (MIT OR GPL-3.0)']],
])('judges the licence %s of a package %o', (license, over, faults) => {
  const locked = { version: '1.0.0', ...(license === undefined ? {} : { license }), ...over };
  const packages = { '': { license: 'Apache-2.0' }, 'node_modules/a/node_modules/@b/c': locked };
  expect(licenceFaults(packages, RULES)).toEqual(faults);
});
