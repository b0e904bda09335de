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

const NO_LIST = `${FIXTURE}, and an unreadable resource refuses subscriptions`;
const NO_HEADERS = 'no tool has arguments that are sent as headers (x-mcp-header)';

/** Scenarios that are expected to fail, by the reason; `scenario/check` where only that check fails. */
const EXCEPTIONS = Object.values({
  [FIXTURE]: `tools-call-simple-text tools-call-image tools-call-audio tools-call-embedded-resource
    tools-call-mixed-content tools-call-error tools-call-with-progress json-schema-2020-12 resources-read-text
    resources-read-binary resources-templates-read prompts-get-simple prompts-get-with-args
    prompts-get-embedded-resource prompts-get-with-image completion-complete`,
  [NO_LIST]: 'resources-subscribe resources-unsubscribe',
  [NO_LOGGING]: `logging-set-level tools-call-with-logging
    server-stateless/sep-2575-server-no-log-without-loglevel`,
  [NO_INPUT]: `tools-call-sampling tools-call-elicitation elicitation-sep1034-defaults elicitation-sep1330-enums
    server-stateless/sep-2575-server-rejects-undeclared-capability
    server-stateless/sep-2575-missing-capability-http-400
    server-stateless/sep-2575-http-server-no-independent-requests-on-stream
    input-required-result-basic-elicitation input-required-result-basic-sampling
    input-required-result-basic-list-roots input-required-result-request-state
    input-required-result-multiple-input-requests input-required-result-multi-round
    input-required-result-non-tool-request input-required-result-result-type
    input-required-result-tampered-state input-required-result-capability-check`,
  [NO_HEADERS]: 'http-custom-header-server-validation',
}).flatMap((names) => names.split(/\s+/));

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
      failed.push(...(EXCEPTIONS.includes(scenario) ? bad.slice(0, 1).map(() => scenario) : bad));
    }
    const expected = EXCEPTIONS.filter((name) => scenarios.has(name.split('/')[0] ?? ''));
    expect(failed.sort(), revision).toEqual(expected.sort());
  },
);
