import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { serve } from '../test/support/listen.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { auditCode } from './audit.ts';

const ADVISORY = {
  id: 1,
  url: 'https://github.com/advisories/GHSA-xxxx',
  title: 'Reads what it must not',
  severity: 'high',
  vulnerable_versions: '<99.0.0',
  cwe: [],
  cvss: { score: 0, vectorString: null },
};
/** Metadata of a package, which npm requests for each advisory. */
const PACKAGE = {
  name: 'hyparquet-writer',
  'dist-tags': { latest: '0.17.0' },
  versions: { '0.17.0': { name: 'hyparquet-writer', version: '0.17.0' } },
};

test('npm run audit fails when an installed version is vulnerable', async () => {
  const registry = await serve(({ method }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(method === 'GET' ? PACKAGE : { 'hyparquet-writer': [ADVISORY] }));
  });
  // A separate cache: npm must not keep these answers.
  const args = [
    'scripts/audit.ts',
    `--registry=${registry}`,
    '--fetch-retries=0',
    `--cache=${temporaryFolder()}`,
  ];
  const cwd = new URL('..', import.meta.url);
  const printed = await new Promise((done) => {
    const child = execFile(process.execPath, args, { cwd }, (_error, output) =>
      done([child.exitCode, output.includes('Reads what it must not')]),
    );
  });
  expect(printed).toEqual([1, true]);
});

test.each([
  [0, 'the registry reports nothing', 0, '{"vulnerabilities":{}}'],
  [75, 'the registry refuses audits', 1, '{"message":"405 Method Not Allowed"}'],
  [1, 'npm itself failed', 1, '{"error":{"code":"ENOLOCK","summary":"needs a lockfile"}}'],
  [1, 'npm crashed', 1, 'Segmentation fault'],
  [1, 'npm said nothing', 1, ''],
])('npm run audit exits with %d when %s', (code, _, status, output) => {
  expect(auditCode(status, output)).toBe(code);
});
