import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Agent, fetch as undiciFetch } from 'undici';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { requireKafkaAccess } from '#cluster/access.ts';
import { incidentMessage } from '#ingestion/testing/messages.ts';
import type { MatchTransition } from '#records/types.ts';
import type { Brokers, Sasl } from '#security/brokers.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { SERVICE_NAMES } from '#topics/acls.ts';
import { findTopics } from '#topics/admin.ts';
import { follow } from '#topics/follow.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { SECRET, signed } from '../../integration/webhook-receiver/support.ts';
import { backbone } from '../../setup/backbone.ts';
import { credentialsOf } from '../../support/api.ts';
import { Authority, type Certificate, writeCertificate, writeText } from '../../support/certificates.ts';
import { CLIENTS_KEY } from '../../support/environment.ts';
import { listen } from '../../support/listen.ts';
import { quietLog } from '../../support/log.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { startService } from '../../support/processes.ts';
import { readRecords } from '../../support/read-records.ts';
import {
  PASSWORD,
  type SecuredKafka,
  startSecuredKafka,
  unsignedToken,
} from '../../support/secured-kafka.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { makeTopics } from '../../support/topics.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { workload } from '../../support/workload.ts';
import { rightsOfServices } from './rights.ts';

const WRONG = 'wrong-password-99';
/** Life of an authentication at the broker, milliseconds. */
const SESSION_MS = 3_000;
let secured: SecuredKafka;
let gate: Awaited<ReturnType<typeof startRegistryGate>>;
let registryEnv: Record<string, string>;

beforeAll(async () => {
  secured = await startSecuredKafka(SERVICE_NAMES, { 'connections.max.reauth.ms': String(SESSION_MS) });
  gate = await startRegistryGate(backbone().registryUrl, await secured.authority.sign('registry'));
  registryEnv = {
    SCHEMA_REGISTRY_URL: gate.url,
    SCHEMA_REGISTRY_TLS_CA_FILE: secured.ca,
    SCHEMA_REGISTRY_USERNAME: 'registrar',
    SCHEMA_REGISTRY_PASSWORD_FILE: writeText(secured.folder, 'registry-password', `${gate.password}\n`),
  };
});

/** Starts a reverse proxy in front of a registry, with HTTPS and basic authentication as `registrar`. */
async function startRegistryGate(registryUrl: string, tls: Certificate) {
  const { origin, pathname } = new URL(registryUrl);
  const password = 'registry-password';
  const right = `Basic ${Buffer.from(`registrar:${password}`).toString('base64')}`;
  const server = createServer(tls, (incoming, answer) => {
    const { authorization, host: _, ...headers } = incoming.headers;
    if (authorization !== right) return void answer.writeHead(401).end('{"error_code":401,"message":"who?"}');
    const onward = request(`${origin}${incoming.url}`, { method: incoming.method ?? 'GET', headers });
    onward.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    incoming.pipe(onward);
  });
  return { url: `https://localhost:${await listen(server)}${pathname}`, password };
}

const password = (mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512', text = PASSWORD): Sasl => ({
  mechanism,
  username: 'operator',
  password: text,
});
const trusting = (ca: string) => ({ ca, cert: null, key: null, keyPassword: null });
const bearer = (token: string): Sasl => ({ mechanism: 'OAUTHBEARER', source: { token } });

function passwordEnv(mechanism: string, file: string): Record<string, string> {
  return {
    ...secured.saslEnv(mechanism),
    KAFKA_SASL_USERNAME: 'operator',
    KAFKA_SASL_PASSWORD_FILE: file,
  };
}

describe('connections of each kind', () => {
  test.each<[string, () => Brokers | Promise<Brokers>]>([
    ['a client certificate', async () => (await secured.byCertificate('operator')).brokers],
    ['PLAIN', () => secured.bySasl(password('PLAIN'))],
    ['SCRAM-SHA-256', () => secured.bySasl(password('SCRAM-SHA-256'))],
    ['SCRAM-SHA-512', () => secured.bySasl(password('SCRAM-SHA-512'))],
    ['OAUTHBEARER', () => secured.bySasl(bearer(unsignedToken('operator')))],
  ])('create, write and read a topic: %s', async (name, connect) => {
    const brokers = await connect();
    const topic = `of-${name.toLowerCase().replaceAll(' ', '-')}`;
    await makeTopics(brokers, [{ name: topic, partitions: 1 }]);
    const publisher = await openPublisher({ brokers, clientId: 'secured', log: quietLog });
    await publisher.publish([{ topic, key: 'k', value: Buffer.from(name) }]);
    await publisher.close();
    const records = await readRecords(brokers, topic);
    expect(records.map(({ value }) => String(value))).toEqual([name]);
  });

  test('reads a rotated password again for the next connection', async () => {
    const file = writeText(secured.folder, 'rotating', WRONG);
    const brokers = secured.bySasl({ mechanism: 'SCRAM-SHA-512', username: 'operator', password: { file } });
    await expect(requireKafkaAccess(brokers)).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' });
    await expect(findTopics({ brokers, prefix: '' })).rejects.toMatchObject({
      code: 'AUTHENTICATION_FAILED',
    });
    writeFileSync(file, `${PASSWORD}\n`);
    await requireKafkaAccess(brokers);
    await findTopics({ brokers, prefix: '' });
  });
});

describe('what is refused', () => {
  const at = () => secured.sasl[0];

  test.each<[string, () => Brokers | Promise<Brokers>, object]>([
    ...(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const).map(
      (mechanism): [string, () => Brokers, object] => [
        `a wrong password with ${mechanism}`,
        () => secured.bySasl(password(mechanism, WRONG)),
        {
          code: 'AUTHENTICATION_FAILED',
          message: expect.stringContaining(`refuses user operator (SASL ${mechanism})`),
        },
      ],
    ),
    [
      'a token that is none',
      () => secured.bySasl(bearer('eyJ.not.a-token')),
      { code: 'AUTHENTICATION_FAILED', message: expect.stringContaining('refuses the token') },
    ],
    [
      'a broker of another authority',
      async () => {
        const other = writeText(secured.folder, 'other-ca.crt', (await Authority.create('another')).ca.cert);
        const brokers = secured.bySasl(password('PLAIN'));
        return { ...brokers, tls: trusting(other) } as Brokers;
      },
      { code: 'CERTIFICATE_UNTRUSTED' },
    ],
    [
      'a client certificate of another authority',
      async () => {
        const other = await (await Authority.create('another')).sign('operator');
        const files = writeCertificate(secured.folder, 'stranger', other);
        const { brokers } = await secured.byCertificate('operator');
        return { ...brokers, tls: { ca: secured.ca, ...files, keyPassword: null } } as Brokers;
      },
      { code: 'AUTHENTICATION_FAILED', message: expect.stringContaining('the client certificate') },
    ],
    [
      'no client certificate',
      () => ({ addresses: secured.tls, tls: trusting(secured.ca), sasl: null }),
      { code: 'AUTHENTICATION_FAILED', message: expect.stringContaining('without a client certificate') },
    ],
    ['a connection without TLS', () => secured.sasl, { code: 'TLS_REQUIRED' }],
  ])('in one error: %s', async (_, connect, error) => {
    const brokers = await connect();
    const refused = await requireKafkaAccess(brokers).catch((thrown: Error) => thrown);
    expect(refused).toMatchObject(error);
    expect(String(refused)).not.toMatch(/\n|wrong-password|eyJ/);
  });

  test('with one line of the process, by a service and by a command', async () => {
    const file = writeText(secured.folder, 'wrong', WRONG);
    const settings = { ...passwordEnv('SCRAM-SHA-256', file), ...registryEnv };
    const service = startService('match-processor', settings);
    expect((await service.failed()).map(({ code }) => code)).toEqual(['AUTHENTICATION_FAILED']);
    expect(service.log).not.toContain(WRONG);
    const run = await touchlineHere(['topics'], settings);
    expect(run.code).toBe(1);
    expect(run.err).toBe(
      `touchline topics: connect to ${at()}: the broker refuses user operator (SASL SCRAM-SHA-256)\n`,
    );
  });

  test('the registry: a wrong password, a certificate of another authority', async () => {
    const file = writeText(secured.folder, 'right', PASSWORD);
    const right = { ...passwordEnv('SCRAM-SHA-256', file), ...registryEnv };
    const { SCHEMA_REGISTRY_TLS_CA_FILE: _, ...untrusting } = right;
    const wrong = { ...right, SCHEMA_REGISTRY_PASSWORD_FILE: writeText(secured.folder, 'wrong', WRONG) };
    for (const [settings, code] of [
      [untrusting, 'REGISTRY_UNTRUSTED'],
      [wrong, 'REGISTRY_REFUSES'],
    ] as const) {
      const service = startService('match-processor', settings);
      expect((await service.failed()).map((error) => error.code)).toEqual([code]);
      expect(service.log).not.toContain(WRONG);
    }
  });
});

test('a pipeline works with a different authentication for each process, and serves over HTTPS', async () => {
  const prefix = backbone().prefix;
  const right = writeText(secured.folder, 'right', PASSWORD);
  const token = writeText(secured.folder, 'token', unsignedToken('operator'));
  const withTopics = (env: Record<string, string>) => ({ ...env, ...registryEnv, TOPIC_PREFIX: prefix });
  const http = writeCertificate(secured.folder, 'http', await secured.authority.sign('http'));
  const served = { HTTP_TLS_CERT_FILE: http.cert, HTTP_TLS_KEY_FILE: http.key };
  const byPlain = withTopics({ ...passwordEnv('plain', right), CLIENTS_KEY });

  const dispatcher = new Agent({ connect: { ca: secured.authority.ca.cert } });
  onTestFinished(() => dispatcher.close());
  const ask = async (url: string, request: RequestInit = {}) => {
    const response = await undiciFetch(url, { ...(request as object), dispatcher });
    return { status: response.status, text: await response.text() };
  };
  const topics = await touchlineHere(['topics'], { ...byPlain, TOPIC_PARTITIONS: '1' });
  expect(topics.code, topics.err).toBe(0);
  const receiver = startService('webhook-receiver', {
    ...withTopics(passwordEnv('SCRAM-SHA-512', right)),
    ...served,
    WEBHOOK_PORT: '0',
    WEBHOOK_SECRET_FILE: writeText(secured.folder, 'webhook', `${SECRET}\n`),
  });
  const processor = startService(
    'match-processor',
    withTopics((await secured.byCertificate('operator')).env),
  );
  const api = startService('api', {
    ...withTopics({ ...secured.saslEnv('OAUTHBEARER'), KAFKA_SASL_TOKEN_FILE: token }),
    ...served,
    API_PORT: '0',
    CLIENTS_KEY,
    DATA_DIR: temporaryFolder(),
  });
  const body = JSON.stringify([incidentMessage({ id: 1 }, { confirmation: 'confirmed' })]);
  const { port } = await receiver.logged('POST /webhook');
  const delivery = { method: 'POST', headers: signed(body), body };
  const accepted = await ask(`https://localhost:${port}/webhook`, delivery);
  expect(accepted).toEqual({ status: 200, text: 'Accepted' });

  const added = await touchlineHere(['clients', 'add', '--name', 'secured'], byPlain);
  expect(added.code, added.err).toBe(0);
  const { id, secret } = credentialsOf(added.out);
  const url = `https://localhost:${(await api.logged('"listening"')).port}`;
  const score = await until('the api has the goal', async () => {
    const { status, text } = await ask(`${url}/v2/oauth?client_id=${id}&secret_key=${secret}`);
    if (status !== 200) return undefined;
    const { token: access } = JSON.parse(text).api.data;
    const events = (await ask(`${url}/v2/events?season_id=25528&token=${access}`)).text;
    return events.includes('7000001') ? events : undefined;
  });
  expect(score).toContain('7000001');
  const { port: ops } = await processor.logged('metrics and health');
  expect((await fetch(`http://127.0.0.1:${ops}/health/ready`)).status).toBe(200);
  const { port: opsOfApi } = await api.logged('metrics and health');
  expect((await ask(`https://localhost:${opsOfApi}/health/ready`)).status).toBe(200);
  for (const service of [receiver, processor, api]) {
    for (const one of [PASSWORD, SECRET, gate.password, CLIENTS_KEY]) expect(service.log).not.toContain(one);
    expect(await service.stop()).toBe(0);
  }
});

describe('rights', () => rightsOfServices(() => secured));

test('loses no record, repeats none and fails no task when sessions end', async () => {
  const brokers = secured.bySasl(password('SCRAM-SHA-256'));
  const prefix = `${backbone().prefix}sessions.`;
  const { registryUrl } = backbone();
  const at = { brokers: secured.kafka.brokers, prefix, registryUrl };
  const pipeline = await Pipeline.create({ ...at, services: ['match-processor'] });
  const registry = new Registry({ url: registryUrl, prefix });
  const processor = startService('match-processor', {
    ...passwordEnv('SCRAM-SHA-256', writeText(secured.folder, 'right', PASSWORD)),
    ...registryEnv,
    TOPIC_PREFIX: prefix,
    SESSION_TIMEOUT_MS: '6000',
  });
  await processor.ready();
  const claims = await processor.metric('touchline_claims_total');
  const publisher = await openPublisher({ brokers, clientId: 'sessions', log: quietLog });
  const input = await registry.codec('normalized-messages');
  const versions = new Map<number, number[]>();
  const note = (into: Map<number, number[]>, { event_id, version }: MatchTransition): void => {
    into.set(event_id, [...(into.get(event_id) ?? []), version]);
  };
  const reading = new AbortController();
  const following = follow(
    ['match-transitions'],
    { brokers, prefix, registry },
    {
      signal: reading.signal,
      onRecord: ({ value }) => value && note(versions, value),
    },
  );
  const messages = workload({ events: 100, perEvent: 100, seed: 7 });
  const end = performance.now() + 3 * SESSION_MS;
  let sent = 0;
  const topic = topicName(prefix, 'normalized-messages');
  for (const message of messages) {
    if (performance.now() > end) break;
    await publisher.publish([{ topic, key: String(message.event_id), value: input.encode(message) }]);
    sent += 1;
    // As fast as a hundred live matches: more would only load the machine.
    await delay(5);
  }
  await publisher.close();
  expect(performance.now()).toBeGreaterThan(end);
  await pipeline.settled();
  const expected = new Map<number, number[]>();
  for (const transition of (await pipeline.output()).transitions) note(expected, transition);
  await untilTrue('the reader has all transitions', () => isDeepStrictEqual(versions, expected));
  reading.abort();
  await following;
  for (const ofMatch of expected.values()) expect(new Set(ofMatch).size).toBe(ofMatch.at(-1));
  expect(await processor.metric('touchline_records_total')).toBe(sent);
  expect(await processor.metric('touchline_task_failures_total')).toBe(0);
  expect(await processor.metric('touchline_claims_total')).toBe(claims);
  expect(processor.lines.filter((line) => JSON.parse(line).level >= 40)).toEqual([]);
  expect(processor.lines.filter((line) => line.includes('partitions assigned'))).toHaveLength(1);
});
