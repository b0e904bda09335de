/** Runs every command of the page First steps on a demonstration, and compares the output with the page. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { until } from '../../support/poll.ts';
import { runBlock } from '../../support/runbook.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchline } from '../../support/touchline.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/guides/first-steps.md'), 'utf8');
/** Matches the settings of the first command, and the end of its output. */
const STARTED = /^((?:[A-Z]+=\S+ )+)npm start[\s\S]*?```text\n([\s\S]*?)^```$/m;
const STEP = /^```sh step\n([\s\S]*?)^```\n\n^```text\n([\s\S]*?)^```$/gm;
const NEXT = '=== next step';
const PLAY_MS = 300_000;
/** The match of the page, which has a cancelled goal. */
const MATCH = '310002';

/** Returns a pattern for a line of the page: numbers may differ, `…` matches anything. */
function printed(line: string): RegExp {
  const escaped = line.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(escaped.replaceAll('…', '.*').replace(/\d+/g, '\\d+').replace(/ {2,}/g, ' +'));
}

function expectLines(out: string, lines: string): void {
  let left = out.split('\n');
  for (const line of lines.trimEnd().split('\n')) {
    const at = left.findIndex((one) => printed(line).test(one));
    expect(at, `no line like ${line} in\n${left.join('\n')}`).toBeGreaterThanOrEqual(0);
    left = left.slice(at + 1);
  }
}

test('every command of the first steps prints what the page says', async () => {
  const folder = temporaryFolder();
  const { brokers, registryUrl, prefix } = backbone();
  const connection = {
    KAFKA_BROKERS: brokers.join(','),
    SCHEMA_REGISTRY_URL: registryUrl,
    TOPIC_PREFIX: `${prefix}first.`,
    DATA_DIR: join(folder, 'data'),
  };
  const [, given = '', ending = ''] = STARTED.exec(PAGE) ?? [];
  const settings = Object.fromEntries(
    given
      .trim()
      .split(' ')
      .map((pair) => pair.split('=')),
  );
  const ports = { WEBHOOK_PORT: '0', API_PORT: '0', TOOLS_PORT: '0' };
  const demo = touchline(['demo', '--keep'], { ...connection, ...settings, DURATION: '10', ...ports });
  const [API = '', SECRET = '', TOOLS = ''] = await until(
    'the demonstration goes on',
    () =>
      /curl "(\S+)\/v2\/oauth\?client_id=1&secret_key=(\w+)"[\s\S]*?curl (\S+)\/api\/v1\/token/
        .exec(demo.out)
        ?.slice(1),
    PLAY_MS,
  );
  expectLines(demo.out, ending);

  const steps = [...PAGE.matchAll(STEP)];
  expect(steps).toHaveLength(10);
  const script = steps.map(([, command = '']) => command).join(`echo '${NEXT}'\n`);
  const renamed = script
    .replaceAll(/\btouchline\.(?= )/g, connection.TOPIC_PREFIX)
    .replaceAll('rebuilt.', `${prefix}firstrebuilt.`);
  const { code, out, err } = await runBlock(renamed, { ...connection, API, SECRET, TOOLS, MATCH }, folder);
  expect(code, out + err).toBe(0);
  // Progress goes to standard error.
  const outputs = out.split(`${NEXT}\n`);
  for (const [n, [, , lines = '']] of steps.entries())
    expectLines(outputs[n] ?? '', lines.replaceAll('rebuilt.', '…'));
  demo.child.kill('SIGINT');
  expect(await demo.ended).toBe(0);
});
