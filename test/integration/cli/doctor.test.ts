/** `touchline doctor` against a real broker and registry: complete, and with missing parts. */
import { beforeAll, describe, expect, test } from 'vitest';
import { deleteTopics } from '#topics/admin.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { topicName } from '#topics/topics.ts';
import type { CheckResult } from '../../../cli/commands/doctor/rules.ts';
import type { TestBackbone } from '../../setup/backbone.ts';
import { doctor } from '../../support/doctor.ts';
import { health } from '../../support/feed-health.ts';
import { publishValues } from '../../support/publish-values.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { initializedCluster } from './topics.ts';

let connection: TestBackbone;
let env: Readonly<Record<string, string>>;

/** A complete system; the last tests break it. */
beforeAll(async () => {
  ({ connection, env } = await initializedCluster());
});

/** Runs doctor. Returns all findings, and those that did not pass, and the tables. */
async function examined(more: Readonly<Record<string, string>> = {}) {
  const { err, findings, ...found } = await doctor({ ...env, ...more });
  expect(err).toBe('');
  return { ...found, findings, notFine: findings.filter(({ status }) => status !== 'ok') };
}

/** Publishes that the source of webhooks is down, for as long as the test takes. */
function publishHealth(): Promise<void> {
  const value = health({
    state: 'down',
    reason: 'network',
    since: Date.UTC(2026, 5, 11, 20, 45, 10),
    valid_until: Date.now() + 3_600_000,
  });
  return publishValues(connection, 'feed-health', [{ key: value.source, value }]);
}

/** Publishes that the poller refuses the incident list of an event. */
function publishRefusal(): Promise<void> {
  const refused_lists = [{ event_id: 1_234_567, reason: 'empty', since: Date.UTC(2026, 5, 11, 20, 46) }];
  const value = { ...sampleOf('ingress-status'), refused_lists, written_at: Date.now() };
  return publishValues(connection, 'ingress-status', [{ key: value.source, value }]);
}

const of = (findings: readonly CheckResult[], check: string) => findings.filter((one) => one.check === check);

describe('an installation', () => {
  test('passes when it is complete, except processors that do not run', async () => {
    const { code, findings, notFine } = await examined();
    expect(code).toBe(0);
    expect(notFine.filter(({ check }) => !['lag', 'disk'].includes(check))).toEqual([]);
    expect(of(findings, 'lag').map(({ message }) => message)).toContain(
      'match-processor: 0 records behind, 0 processes',
    );
    const checks = new Set(findings.map(({ check }) => check));
    for (const check of [
      'settings',
      'broker',
      'versions',
      'topics',
      'rights',
      'registry',
      'schemas',
      'clock',
      'disk',
    ])
      expect(checks).toContain(check);
    // Its own folders, and the log of the broker.
    expect(of(findings, 'disk').some(({ message }) => message.startsWith('log of broker '))).toBe(true);
  });

  test('is rendered as findings, then as tables', async () => {
    await publishHealth();
    await publishRefusal();
    const { code, out, err } = await touchlineHere(
      ['doctor', '--watch', '--metrics', 'http://127.0.0.1:1'],
      env,
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^warning .*\nok {8}settings {2}.*\n0 failed, \d+ warnings, \d+ fine\n.*\nmatch-processor +0 +2 +0\n/s,
    );
    expect(out).toContain('\ndead letters  0\n');
    expect(out).toMatch(/\nwebhook +down +2026-06-11T20:45:10Z +network\n/);
    expect(out).toMatch(/\n1234567 +2026-06-11T20:46:00Z +has no incident\n/);
    expect(out).toMatch(/\nhttp:\/\/127\.0\.0\.1:1 .*no answer/);
  });
});

test('finds receivers whose clock the provider contradicts', async () => {
  const status = sampleOf('ingress-status');
  const report = { ...status, source: 'webhook', clock: { behind_ms: 61_000, expired: 3 } };
  await publishValues(connection, 'ingress-status', [{ key: report.source, value: report }]);
  const { code, notFine } = await examined();
  expect(code).toBe(1);
  expect(of(notFine, 'clock')).toMatchObject([
    {
      status: 'warning',
      message: expect.stringMatching(/^of a receiver is 61 s behind that of the provider/),
    },
    { status: 'failed', message: expect.stringMatching(/refused 3 authentic deliveries/) },
  ]);
});

describe('a broken installation', () => {
  test('has findings for a missing topic and another schema, with advice', async () => {
    const { brokers, registryUrl, prefix } = connection;
    const results = topicName(prefix, 'match-results');
    await deleteTopics(brokers, [results]);
    const subject = `${topicName(prefix, 'catalogue')}-value`;
    // In its place: the schema of somebody else.
    for (const permanent of ['', '?permanent=true'])
      await fetch(`${registryUrl}/subjects/${subject}${permanent}`, { method: 'DELETE' });
    const schema = JSON.stringify({ type: 'record', name: 'Other', fields: [{ name: 'x', type: 'int' }] });
    const answer = await fetch(`${registryUrl}/subjects/${subject}/versions`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
      body: JSON.stringify({ schema }),
    });
    expect(answer.status).toBe(200);
    const newest = await fetch(`${registryUrl}/subjects/${subject}/versions/latest`);
    expect(await newest.text()).toContain('Other');

    const { code, notFine, tables } = await examined();
    expect(code).toBe(1);
    expect(of(notFine, 'topics')).toEqual([
      {
        check: 'topics',
        status: 'failed',
        message: `deleted: ${results}`,
        advice: expect.stringMatching(
          / npx touchline topics --accept match-results; npx touchline rebuild match-processor /,
        ),
      },
    ]);
    expect(of(notFine, 'schemas')).toMatchObject([
      { status: 'failed', message: expect.stringMatching(`cannot read .* ${subject}$`) },
    ]);
    expect(tables?.processors[1]).toEqual({ processor: 'standings-processor', state: null });
  });

  test('has a finding for settings without a broker', async () => {
    const { code, findings, tables } = await examined({ KAFKA_BROKERS: '', DATA_DIR: '/nonexistent' });
    expect([code, tables]).toEqual([1, null]);
    expect(of(findings, 'settings')).toMatchObject([
      { status: 'failed', message: expect.stringContaining('no broker') },
    ]);
  });

  test.each([
    [['doctor', 'nobody'], "'nobody' is invalid"],
    [['doctor', '--metrics', 'x'], '--metrics takes http addresses'],
  ])('refuses %j', async (args, text) => {
    const { code, err } = await touchlineHere(args, env);
    expect(code).toBe(2);
    expect(err).toContain(text);
  });
});
