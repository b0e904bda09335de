/** The protocol's own conformance suite against the endpoint, in both revisions. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withToken } from './testing/header-proxy.ts';
import { ALL, ServedMcp } from './testing/served.ts';

const FIXTURE = 'calls, reads or gets a fixture that only the example server of the suite has';
const NO_LOGGING =
  'the endpoint does not log to clients (deprecated by SEP-2577) and does not declare the capability';
const NO_INPUT = 'asks for a tool that asks the client back; no tool of the endpoint does';

/** Scenarios that fail, and why that is as it should be; a check by its id where the others of the scenario pass. */
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
  'resources-subscribe': `${FIXTURE}, and what cannot be read cannot be subscribed to`,
  'resources-unsubscribe': `${FIXTURE}, and what cannot be read cannot be subscribed to`,
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

/** How each revision is asked for: all its scenarios, those of the current one frozen at its release. */
const ASKED = {
  '2026-07-28': ['--requirements', '2026-07-28'],
  '2025-11-25': ['--suite', 'all', '--spec-version', '2025-11-25'],
} as const;

type Check = { readonly id: string; readonly status: string };

/** The checks of each scenario that was run. */
async function run(url: URL, asked: readonly string[]): Promise<Map<string, readonly Check[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'touchline-conformance-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const args = [SUITE, 'server', '--url', url.href, ...asked, '-o', folder];
  // Its exit code says that something failed; what did is in the files.
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

test.each(Object.entries(ASKED))(
  'passes the conformance suite of revision %s',
  { timeout: 300_000 },
  async (revision, asked) => {
    const limits = { requestsPerToken: 1e6, requestsPerAddress: 1e6 };
    const served = await ServedMcp.start({ limits });
    const scenarios = await run(await withToken(served.url, ALL.token), asked);
    expect(scenarios.size).toBeGreaterThan(30);
    const failed: string[] = [];
    for (const [scenario, checks] of scenarios) {
      // Of the extension for long-running tasks, which nobody has to have.
      if (scenario.startsWith('tasks-')) continue;
      const bad = checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => `${scenario}/${id}`);
      failed.push(...(scenario in EXCEPTIONS ? bad.slice(0, 1).map(() => scenario) : bad));
    }
    const expected = Object.keys(EXCEPTIONS).filter((name) => scenarios.has(name.split('/')[0] ?? ''));
    expect(failed.sort(), revision).toEqual(expected.sort());
  },
);
