/** Findings of `touchline doctor` in systems that are each broken in one way. */
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { withTopicAdmin } from '#cluster/topic-admin.ts';
import { resultKey } from '#domain/match-result.ts';
import { serve } from '#service/testing/serve.ts';
import { deleteTopics } from '#topics/admin.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { topicName } from '#topics/topics.ts';
import type { CheckResult } from '../../../cli/commands/doctor/rules.ts';
import type { TestBackbone } from '../../setup/backbone.ts';
import { writeText } from '../../support/certificates.ts';
import { doctor } from '../../support/doctor.ts';
import { untilTrue } from '../../support/poll.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { initializedCluster, TestTopics } from './topics.ts';

let connection: TestBackbone;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  ({ connection, env } = await initializedCluster());
});

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

/** The fatal alert with which a TLS listener answers bytes that are no TLS. */
const ALERT = Buffer.from([0x15, 3, 3, 0, 2, 2, 80]);

async function tlsPort(): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(ALERT)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const BROKEN: readonly (readonly [string, Break, CheckResult['check'], RegExp])[] = [
  ['no broker answers', async () => ({ env: { KAFKA_BROKERS: '127.0.0.1:1' } }), 'broker', /127\.0\.0\.1:1/],
  [
    'KAFKA_TLS is on and the port is plain',
    async () => ({ env: { KAFKA_TLS: 'on' } }),
    'broker',
    /^KAFKA_TLS is on, and the brokers speak no TLS on these ports$/,
  ],
  [
    'KAFKA_TLS is off and the port wants TLS',
    async () => ({ env: { KAFKA_BROKERS: `127.0.0.1:${await tlsPort()}` } }),
    'broker',
    /the broker speaks TLS, and KAFKA_TLS is off$/,
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
  [
    'the registry hangs',
    async () => ({ env: await registryThat(() => {}) }),
    'registry',
    /^does not answer within 5 s: it is slow, or the network drops packets$/,
  ],
  [
    'the registry is slow',
    async () => ({
      env: await registryThat((_, response) => void setTimeout(() => response.end('[]'), 1_500)),
    }),
    'registry',
    /^is slow: it took [12]\.\d s to answer$/,
  ],
  [
    'the registry is given as https and speaks http',
    async () => ({ env: { SCHEMA_REGISTRY_URL: connection.registryUrl.replace('http:', 'https:') } }),
    'registry',
    /^speaks no TLS, and its address says https$/,
  ],
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
    'the provider is down',
    async () => ({ env: { PROVIDER_BASE_URL: 'http://127.0.0.1:1', PROVIDER_CLIENT_ID: '7' } }),
    'provider',
    /^does not answer$/,
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
  [
    'a topic keeps what it must not',
    async () => {
      const { brokers, prefix } = connection;
      const name = topicName(prefix, 'match-state');
      await deleteTopics(brokers, [name]);
      await withTopicAdmin(brokers, 30_000, async (admin) => {
        await untilTrue('it is gone', async () => !(await admin.topics()).has(name));
        await admin.createTopics([{ name, partitions: 2, settings: { 'cleanup.policy': 'delete' } }]);
        await untilTrue('it is there', async () => (await admin.topics()).has(name));
      });
      return {};
    },
    'topics',
    /match-state has cleanup\.policy=delete, not compact$/,
  ],
];

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
