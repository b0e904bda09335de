/** Runs the protocol's conformance suite against the endpoint, in both revisions. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { withToken } from './testing/header-proxy.ts';
import { ALL, ServedMcp } from './testing/served.ts';

const FIXTURE = 'needs a fixture that only the example server of the suite has';
const NO_LOGGING =
  'the endpoint does not log to clients (deprecated by SEP-2577) and does not declare the capability';
const NO_INPUT = 'needs a tool that requests input of the client; no tool of the endpoint does';

/** Scenarios that are expected to fail, with the reason; `scenario/check` where only that check fails. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'tools-call-simple-text': FIXTURE,
  'tools-call-image': FIXTURE,
  'tools-call-audio': FIXTURE,
  'tools-call-embedded-resource': FIXTURE,
  'tools-call-mixed-content': FIXTURE,
  'tools-call-error': FIXTURE,
  'tools-call-with-progress': FIXTURE,
  'json-schema-2020-12': FIXTURE,
  'resources-read-text': FIXTURE,
  'resources-read-binary': FIXTURE,
  'resources-templates-read': FIXTURE,
  'resources-subscribe': `${FIXTURE}, and an unreadable resource refuses subscriptions`,
  'resources-unsubscribe': `${FIXTURE}, and an unreadable resource refuses subscriptions`,
  'prompts-get-simple': FIXTURE,
  'prompts-get-with-args': FIXTURE,
  'prompts-get-embedded-resource': FIXTURE,
  'prompts-get-with-image': FIXTURE,
  'logging-set-level': NO_LOGGING,
  'tools-call-with-logging': NO_LOGGING,
  'server-stateless/sep-2575-server-no-log-without-loglevel': NO_LOGGING,
  'completion-complete': FIXTURE,
  'tools-call-sampling': NO_INPUT,
  'tools-call-elicitation': NO_INPUT,
  'elicitation-sep1034-defaults': NO_INPUT,
  'elicitation-sep1330-enums': NO_INPUT,
  'server-stateless/sep-2575-server-rejects-undeclared-capability': NO_INPUT,
  'server-stateless/sep-2575-missing-capability-http-400': NO_INPUT,
  'server-stateless/sep-2575-http-server-no-independent-requests-on-stream': NO_INPUT,
  'input-required-result-basic-elicitation': NO_INPUT,
  'input-required-result-basic-sampling': NO_INPUT,
  'input-required-result-basic-list-roots': NO_INPUT,
  'input-required-result-request-state': NO_INPUT,
  'input-required-result-multiple-input-requests': NO_INPUT,
  'input-required-result-multi-round': NO_INPUT,
  'input-required-result-non-tool-request': NO_INPUT,
  'input-required-result-result-type': NO_INPUT,
  'input-required-result-tampered-state': NO_INPUT,
  'input-required-result-capability-check': NO_INPUT,
  'http-custom-header-server-validation': 'no tool has arguments that are sent as headers (x-mcp-header)',
};

const ROOT = join(import.meta.dirname, '../../..');
const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Arguments of the suite for all scenarios of a revision; those of the current one are frozen at its release. */
const SUITE_ARGUMENTS = {
  '2026-07-28': ['--requirements', '2026-07-28'],
  '2025-11-25': ['--suite', 'all', '--spec-version', '2025-11-25'],
} as const;

type Check = { readonly id: string; readonly status: string };

/** Runs scenarios, and returns the checks of each. */
async function run(url: URL, suiteArguments: readonly string[]): Promise<Map<string, readonly Check[]>> {
  const folder = temporaryFolder();
  const args = [SUITE, 'server', '--url', url.href, ...suiteArguments, '-o', folder];
  // The exit code only says whether something failed; the files have the checks.
  await new Promise<void>((resolve) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }, () => resolve());
  });
  return new Map(
    readdirSync(folder).map((name) => {
      const [, scenario = name] = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(name) ?? [];
      return [scenario, JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8'))];
    }),
  );
}

test.each(Object.entries(SUITE_ARGUMENTS))(
  'passes the conformance suite of revision %s',
  { timeout: 300_000 },
  async (revision, suiteArguments) => {
    const limits = { requestsPerToken: 1e6, requestsPerAddress: 1e6 };
    const served = await ServedMcp.start({ limits });
    const scenarios = await run(await withToken(served.url, ALL.token), suiteArguments);
    expect(scenarios.size).toBeGreaterThan(30);
    const failed: string[] = [];
    for (const [scenario, checks] of scenarios) {
      // The extension for long-running tasks is optional.
      if (scenario.startsWith('tasks-')) continue;
      const bad = checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => `${scenario}/${id}`);
      failed.push(...(scenario in EXCEPTIONS ? bad.slice(0, 1).map(() => scenario) : bad));
    }
    const expected = Object.keys(EXCEPTIONS).filter((name) => scenarios.has(name.split('/')[0] ?? ''));
    expect(failed.sort(), revision).toEqual(expected.sort());
  },
);
