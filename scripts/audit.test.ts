import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '#service/testing/serve.ts';
import { judgeAudit } from './audit.ts';

/** Metadata of a package, which npm requests for each advisory. */
const PACKAGE = {
  name: 'hyparquet-writer',
  'dist-tags': { latest: '0.17.0' },
  versions: { '0.17.0': { name: 'hyparquet-writer', version: '0.17.0' } },
};

/** Runs the audit against a registry with this answer; null: an unreachable registry. */
async function audit(
  answer: { status: number; body: object } | null,
): Promise<{ code: number; output: string }> {
  const registry =
    answer === null
      ? 'http://127.0.0.1:1'
      : await serve(({ method }, response) => {
          response.writeHead(answer.status, { 'content-type': 'application/json' });
          response.end(JSON.stringify(method === 'GET' ? PACKAGE : answer.body));
        });
  // A separate cache: npm must not keep these answers.
  const cache = mkdtempSync(join(tmpdir(), 'touchline-audit-'));
  onTestFinished(() => rmSync(cache, { recursive: true }));
  const options = { registry, 'fetch-retries': '0', cache };
  const args = ['scripts/audit.ts', ...Object.entries(options).map(([name, value]) => `--${name}=${value}`)];
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      args,
      { cwd: new URL('..', import.meta.url) },
      (_error, output) => done({ code: child.exitCode ?? -1, output }),
    );
  });
}

const ADVISORY = {
  id: 1,
  url: 'https://github.com/advisories/GHSA-xxxx',
  title: 'Reads what it must not',
  severity: 'high',
  vulnerable_versions: '<99.0.0',
  cwe: [],
  cvss: { score: 0, vectorString: null },
};

describe('npm run audit', () => {
  test('passes when the registry reports no vulnerability', async () => {
    expect(await audit({ status: 200, body: {} })).toEqual({ code: 0, output: 'no known vulnerabilities\n' });
  });

  test('fails when an installed version is vulnerable', async () => {
    const { code, output } = await audit({ status: 200, body: { 'hyparquet-writer': [ADVISORY] } });
    expect(code).toBe(1);
    expect(output).toMatch(/^high: hyparquet-writer .+\n1 packages with known vulnerabilities/);
  });

  test.each([
    ['refuses audits', { status: 405, body: {} }],
    ['is not there', null],
  ])('says that nothing was checked where the registry %s', async (_name, answer) => {
    const { code, output } = await audit(answer);
    expect(code).toBe(75);
    expect(output).toMatch(/^not reachable, not checked: .+/);
  });
});

test.each([
  ['an error of npm itself', '{"error":{"code":"ENOLOCK","summary":"needs a lockfile"}}'],
  ['no JSON', 'Segmentation fault'],
  ['nothing', ''],
])('judgeAudit fails on %s', (_name, output) => {
  expect(judgeAudit(output).exitCode).toBe(1);
});
