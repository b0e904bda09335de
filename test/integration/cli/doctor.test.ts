/** `touchline doctor` against a real broker and registry: complete, and broken in one way each. */
import type { RequestListener } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { resultKey } from '#domain/match-result.ts';
import { deleteTopics } from '#topics/admin.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { topicName } from '#topics/topics.ts';
import type { CheckResult } from '../../../cli/commands/doctor/finding.ts';
import type { TestBackbone } from '../../setup/backbone.ts';
import { writeText } from '../../support/certificates.ts';
import { doctor } from '../../support/doctor.ts';
import { health } from '../../support/feed-health.ts';
import { serve } from '../../support/listen.ts';
import { publishValues } from '../../support/publish-values.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { initializedCluster, TestTopics } from './topics.ts';

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

/** Breaks one thing. Returns the settings that lead to it, and the services to check. */
type Break = () => Promise<{ env?: Record<string, string>; services?: string[] }>;

/** Serves a registry with its own answer to the first request; forwards all others to the real registry. */
async function registryThat(answer: RequestListener): Promise<Record<string, string>> {
  const url = await serve((request, response) => {
    if (request.url === '/schemas/types') return void answer(request, response);
    void fetch(connection.registryUrl + request.url).then(async (theirs) => {
      response.writeHead(theirs.status, { 'content-type': 'application/json' });
      response.end(await theirs.text());
    });
  });
  return { SCHEMA_REGISTRY_URL: url };
}

const BROKEN: readonly (readonly [string, Break, CheckResult['check'], RegExp])[] = [
  ['no broker answers', async () => ({ env: { KAFKA_BROKERS: '127.0.0.1:1' } }), 'broker', /127\.0\.0\.1:1/],
  [
    'KAFKA_TLS is on and the port is plain',
    async () => ({ env: { KAFKA_TLS: 'on' } }),
    'broker',
    /127\.0\.0\.1/,
  ],
  [
    'no broker is known',
    async () => ({ env: { KAFKA_BROKERS: '', DATA_DIR: '/nonexistent' } }),
    'settings',
    /no broker/,
  ],
  [
    'KAFKA_BROKERS is no address',
    async () => ({ env: { KAFKA_BROKERS: 'nonsense' } }),
    'settings',
    /KAFKA_BROKERS: must be host:port/,
  ],
  [
    'no registry answers',
    async () => ({ env: { SCHEMA_REGISTRY_URL: 'http://ann:hidden@127.0.0.1:1' } }),
    'registry',
    /ECONNREFUSED 127\.0\.0\.1:1$/,
  ],
  ['the registry hangs', async () => ({ env: await registryThat(() => {}) }), 'registry', /timeout/i],
  [
    'the clock is two hours behind',
    async () => ({
      env: await registryThat((_, response) => {
        response.setHeader('date', new Date(Date.now() + 7_200_000).toUTCString());
        response.end('[]');
      }),
    }),
    'clock',
    /^differs by (7199|7200) s from that of the registry$/,
  ],
  [
    'the provider refuses the secret of a file',
    async () => ({
      env: {
        PROVIDER_BASE_URL: await serve((request, response) =>
          response.writeHead(request.url?.includes('from-a-file') === true ? 403 : 200).end('{}'),
        ),
        PROVIDER_CLIENT_ID: '7',
        PROVIDER_SECRET_KEY_FILE: writeText(temporaryFolder(), 'key', 'from-a-file\n'),
      },
    }),
    'provider',
    /^refuses the credentials \(403\)$/,
  ],
  [
    'a service lacks a setting',
    async () => ({ env: { CLIENTS_KEY: 'short' }, services: ['api'] }),
    'settings',
    /^api: .*\n +CLIENTS_KEY: /,
  ],
  [
    'the version of a match went back',
    async () => {
      const topics = await TestTopics.create(['match-state', 'match-results']);
      const [state, result] = [sampleOf('match-state'), sampleOf('match-results')];
      const cause = { ...state.cause, offset: state.cause.offset + 1 };
      const { event_id } = state;
      const value = { ...result, event_id, cause: state.cause, version: 143 };
      await topics.write('match-results', [{ key: resultKey(value), value }]);
      await topics.write('match-state', [{ key: `${event_id}`, value: { ...state, cause, version: 1 } }]);
      return { env: { ...topics.env } };
    },
    'records',
    /^event \d+ has version 1 after version 143: state was lost in between/,
  ],
];

// Before there are records, which doctor would read with the schemas of the registry.
test.each(BROKEN)('reports that %s', async (_, make, check, said) => {
  const { env: more = {}, services = [] } = await make();
  const { code, out, err, findings } = await doctor({ ...env, ...more }, ...services);
  expect(err).toBe('');
  const bad = findings.filter(({ status }) => status !== 'ok');
  const found = bad.filter((finding) => finding.check === check && said.test(finding.message));
  expect(found, JSON.stringify(bad, null, 1)).toHaveLength(1);
  expect(found[0]?.advice).not.toBeNull();
  expect(code).toBe(bad.some(({ status }) => status === 'failed') ? 1 : 0);
  // No finding contains a secret.
  expect(out).not.toMatch(/from-a-file|hidden|short"/);
});

describe('an installation', () => {
  test('passes when it is complete, except processors that do not run', async () => {
    const { code, findings, notFine } = await examined();
    expect(code).toBe(0);
    expect(notFine.filter(({ check }) => !['lag', 'disk'].includes(check))).toEqual([]);
    expect(of(findings, 'lag').map(({ message }) => message)).toContain(
      'match-processor: 0 records behind, 0 processes',
    );
    const names = [
      'settings',
      'broker',
      'versions',
      'topics',
      'rights',
      'registry',
      'schemas',
      'clock',
      'disk',
    ];
    expect(findings.map(({ check }) => check)).toEqual(expect.arrayContaining(names));
    // Its own folders, and the log of the broker.
    expect(of(findings, 'disk').some(({ message }) => message.startsWith('log of broker '))).toBe(true);
  });

  test('is rendered as findings, then as tables', async () => {
    await publishHealth();
    await publishRefusal();
    const { code, out, err } = await touchlineHere(['doctor', '--watch'], env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^warning .*\nok {8}settings {2}.*\n0 failed, \d+ warnings, \d+ fine\n.*\nmatch-processor +0 +2 +0\n/s,
    );
    expect(out).toContain('\ndead letters  0\n');
    expect(out).toMatch(/\nwebhook +down +2026-06-11T20:45:10Z +network\n/);
    expect(out).toMatch(/\n1234567 +2026-06-11T20:46:00Z +has no incident\n/);
  });
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

  test('refuses an unknown service', async () => {
    const { code, err } = await touchlineHere(['doctor', 'nobody'], env);
    expect(code).toBe(2);
    expect(err).toContain("'nobody' is invalid");
  });
});
