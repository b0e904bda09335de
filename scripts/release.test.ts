import { expect, test } from 'vitest';
import { problemsOf, publishingCommands } from './release.ts';

const touchline = { name: 'touchline', version: '2.0.0' };
const reader = { name: '@touchline/reader', version: '0.2.0' };
const CHANGELOG = '# Changelog\n\n## 2.0.0, 2026-12-01\n\n`@touchline/reader` 0.2.0: new.\n';
const files = [
  { name: 'image.tar', sha256: 'a'.repeat(64) },
  { name: 'touchline-2.0.0.tgz', sha256: 'b'.repeat(64) },
];

test('a release needs a clean tree, and an entry of each package', () => {
  expect(problemsOf(touchline, [reader], CHANGELOG, '')).toEqual([]);
  const pending = CHANGELOG.replace('2026-12-01', 'pending');
  expect(problemsOf(touchline, [{ ...reader, version: '0.3.0' }], pending, ' M a.ts\n')).toEqual([
    'the working tree has changes: commit them, so that the commit says what is released',
    'the entry of 2.0.0 in CHANGELOG.md is pending: write its date instead',
    'CHANGELOG.md has no entry of `@touchline/reader` 0.3.0',
  ]);
  expect(problemsOf({ ...touchline, version: '2.0' }, [], CHANGELOG.replace('2.0.0', '2x0.0'), '')).toEqual([
    'CHANGELOG.md has no entry "## 2.0"',
  ]);
});

test('the commands publish packages, and an image that was built', () => {
  expect(publishingCommands('out', files, '2.0.0')).toEqual([
    'npm publish out/touchline-2.0.0.tgz',
    'buildah push touchline:2.0.0 docker://<registry>/touchline:2.0.0',
  ]);
  expect(publishingCommands('out', files.slice(1), '2.0.0')).toEqual(['npm publish out/touchline-2.0.0.tgz']);
});
