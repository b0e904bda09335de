import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '#service/testing/serve.ts';
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

test.each([
  ['passes when the registry reports nothing', 200, {}, 0, 'no known vulnerabilities'],
  [
    'fails when an installed version is vulnerable',
    200,
    { 'hyparquet-writer': [ADVISORY] },
    1,
    'Reads what it must not',
  ],
  ['says that nothing was checked where the registry refuses audits', 405, {}, 75, 'not reachable'],
])('npm run audit %s', async (_name, status, advisories, code, words) => {
  const registry = await serve(({ method }, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(method === 'GET' ? PACKAGE : advisories));
  });
  // A separate cache: npm must not keep these answers.
  const cache = mkdtempSync(join(tmpdir(), 'touchline-audit-'));
  onTestFinished(() => rmSync(cache, { recursive: true }));
  const args = ['scripts/audit.ts', `--registry=${registry}`, '--fetch-retries=0', `--cache=${cache}`];
  const cwd = new URL('..', import.meta.url);
  const printed = await new Promise((done) => {
    const child = execFile(process.execPath, args, { cwd }, (_error, output) =>
      done([child.exitCode, output.includes(words)]),
    );
  });
  expect(printed).toEqual([code, true]);
});

test.each(['{"error":{"code":"ENOLOCK","summary":"needs a lockfile"}}', 'Segmentation fault', ''])(
  'npm run audit fails when npm itself failed: %s',
  (output) => {
    expect(auditCode(1, output)).toBe(1);
  },
);
