/**
 * Runs external programs against an api: `SCHEMATHESIS=<program>` tests every operation by the OpenAPI document,
 * `PHP_CLIENT=<folder>` (github.com/statscore/apiclient) reads every answer with the provider's own client.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { contract, serveContract } from './served.ts';

const run = promisify(execFile);
const { SCHEMATHESIS, PHP_CLIENT } = process.env;

async function table(): Promise<string> {
  const { data } = await contract().answer('/v2/standings?object_type=season&object_id=20');
  return String(data.standings_list[0].id);
}

test.runIf(SCHEMATHESIS)(
  `schemathesis finds nothing${SCHEMATHESIS ? '' : ' (needs SCHEMATHESIS)'}`,
  async () => {
    await serveContract({ listens: true });
    const { api, everything } = contract();
    const config = join(import.meta.dirname, 'schemathesis.toml');
    const args = ['--no-color', '--config-file', config, 'run', `${api.url}/openapi.json`];
    const env = { ...process.env, TOKEN: everything.token, STANDINGS: await table() };
    const { stdout } = await run(SCHEMATHESIS ?? '', [...args, '--max-examples=30'], {
      // It writes its findings into the current folder.
      cwd: temporaryFolder(),
      env,
      maxBuffer: 1 << 26,
    }).catch((failure: { stdout: string }) => failure);
    expect(stdout, stdout).toMatch(/No issues found/);
  },
  500_000,
);

test.runIf(PHP_CLIENT).each([
  { from: 'specified messages', isOdd: false },
  { from: 'messages in other forms', isOdd: true },
])(
  `the provider's client reads every answer from $from but one${PHP_CLIENT ? '' : ' (needs PHP_CLIENT)'}`,
  async ({ isOdd }) => {
    await serveContract({ listens: true, isOdd });
    const { api, everything } = contract();
    const script = join(import.meta.dirname, 'provider-client.php');
    const { stdout } = await run('php', [
      script,
      PHP_CLIENT ?? '',
      api.url,
      everything.id,
      everything.secret,
      await table(),
    ]);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { asked: string; error: string | null });
    expect(answers).toHaveLength(16);
    // In the specification the id of a group is text; the client expects a number.
    expect(answers.filter(({ error }) => error !== null)).toEqual([
      { asked: 'standings/{id}', error: expect.stringMatching(/"id".*StandingGroupDTO.*"int"/) },
    ]);
  },
  100_000,
);
