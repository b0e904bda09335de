/** The token exchange with an api as its upstream, and the life of its tokens. */
import { beforeAll, expect, test } from 'vitest';
import { AccessTokens } from '#clients/access-tokens.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { followInBackground } from '#topics/follow.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import type { TestBackbone } from '../../setup/backbone.ts';
import { type ApiReplica, clients, startApi } from '../../support/api.ts';
import { atEnd } from '../../support/at-end.ts';
import { CLIENTS_KEY, connectionEnv } from '../../support/environment.ts';
import { quietLog } from '../../support/log.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { readRecords } from '../../support/read-records.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  type Gateway,
  grant,
  prepareTopics,
  startGateway,
  startUpstream,
} from '../../support/tool-gateway.ts';
import { touchlineHere } from '../../support/touchline-here.ts';

/** Returns all keys and values of a topic as text. */
async function contents({ brokers, prefix }: TestBackbone, topic: TopicName): Promise<string> {
  const records = await readRecords(brokers, topicName(prefix, topic));
  return records
    .map(({ key, value }) => `${key?.toString('latin1')} ${value?.toString('latin1')}\n`)
    .join('');
}

async function tokensCommand(connection: TestBackbone, ...args: string[]): Promise<string> {
  const { code, out, err } = await touchlineHere(['tokens', ...args], connectionEnv(connection));
  expect(code, err).toBe(0);
  return out;
}

/** Follows the tokens as a replica does. */
async function followed(at: TestBackbone): Promise<AccessTokens> {
  const tokens = new AccessTokens();
  const registry = new Registry({ url: at.registryUrl, prefix: at.prefix });
  const onFailure = (error: unknown) => expect.unreachable(String(error));
  const onRecord = tokens.apply.bind(tokens);
  const reading = await followInBackground(['access-tokens'], { ...at, registry, onFailure }, { onRecord });
  atEnd(() => reading.close());
  return tokens;
}

let at: TestBackbone;
let api: ApiReplica;
let gateway: Gateway;

/** The tests share these; each has clients of its own. */
beforeAll(async () => {
  at = await prepareTopics();
  api = await startApi(at, temporaryFolder());
  gateway = await startGateway(at, api.url, { LOG_LEVEL: 'trace' });
});

test('exchanges the credentials of the api for a token, and shows it nowhere else', async () => {
  const tokens = await followed(at);
  const credentials = await clients(at, 'add --competitions 1,2');
  const [, secret_key = ''] = /secret_key (\w+)/.exec(credentials) ?? [];
  const right = { client_id: '1', secret_key };
  // The api may not have read the client yet.
  const { status, body } = await until('the client is known', async () => {
    const answer = await gateway.exchange({ ...right, label: 'desk' });
    return answer.status === 403 ? undefined : answer;
  });
  expect(status).toBe(201);
  const token = body.token ?? '';
  expect(token).toMatch(/^touchline_pat_[\w-]{43}$/);
  expect(Date.parse(body.expires_at ?? '') - Date.now()).toBeGreaterThan(364 * 86_400_000);

  const found = await until('the token is known', () => tokens.find(token, Date.now()));
  expect(found).toMatchObject({ client_id: 1, label: 'desk', revoked_at: null });
  expect(tokens.find(`${token.slice(0, -1)}!`, Date.now())).toBeUndefined();
  // REST refuses it, and the tool endpoint refuses a token of REST.
  const ofRest = await api.token(credentials);
  await untilTrue('the gateway knows the token', async () => (await gateway.mcp(token)) === 400);
  expect(await gateway.mcp(ofRest)).toBe(401);
  expect((await api.get(`/v2/statuses?token=${token}`)).status).toBe(401);
  expect((await api.get(`/v2/statuses?token=${ofRest}`)).status).toBe(200);
  const second = await gateway.exchange({ client_id: '1', client_secret: secret_key });
  expect(second.status).toBe(201);
  expect(second.body.token).not.toBe(token);

  expect(await gateway.exchange({ ...right, secret_key: 'wrong-secret' })).toMatchObject({
    status: 403,
    body: { error: 'invalid_credentials' },
  });
  expect(await gateway.exchange({ client_id: '2', secret_key })).toMatchObject({ status: 403 });
  await clients(at, 'disable 1');
  await untilTrue('a disabled client gets no token', async () => {
    const answer = await gateway.exchange(right, '198.18.0.9');
    return answer.status !== 201;
  });

  const all = [
    await contents(at, 'access-tokens'),
    gateway.service.lines.join('\n'),
    await gateway.service.metrics(),
    api.service.lines.join('\n'),
    await tokensCommand(at, 'list', '--json'),
  ];
  for (const text of all) {
    for (const hidden of [token, second.body.token ?? '', secret_key, 'wrong-secret', CLIENTS_KEY])
      expect(text).not.toContain(hidden);
    expect(text).not.toMatch(/198\.18\.0\./);
  }
  expect(
    await gateway.service.metric('touchline_exchange_seconds_count', 'outcome="issued"'),
  ).toBeGreaterThan(1);
  expect(await gateway.service.metric('touchline_access_tokens')).toBeGreaterThan(1);
});

test('refuses the tokens of a client that is gone to the client that is given its id', async () => {
  const statuses = async (token: string) => (await api.get(`/v2/statuses?token=${token}`)).status;
  /** Adds client 9, and returns its tokens once both processes know it. */
  const added = async () => {
    const credentials = await clients(at, 'add --id 9');
    const [, secret_key = ''] = /secret_key (\w+)/.exec(credentials) ?? [];
    const ofRest = await until('the api accepts the client', async () => {
      const token = await api.token(credentials);
      return (await statuses(token)) === 200 ? token : undefined;
    });
    const { body } = await gateway.exchange({ client_id: '9', secret_key });
    const ofTools = body.token ?? '';
    await untilTrue('the gateway accepts the token', async () => (await gateway.mcp(ofTools)) === 400);
    return { ofRest, ofTools };
  };
  const former = await added();
  // As after the loss of the topic: the client is gone, its tokens are not.
  const topic = topicName(at.prefix, 'clients');
  await withPublisher({ brokers: at.brokers, clientId: 'test', log: quietLog }, (publisher) =>
    publisher.publish([{ topic, key: '9', value: null }]),
  );
  await untilTrue(
    'the gateway knows that it is gone',
    async () => (await gateway.mcp(former.ofTools)) === 401,
  );
  const present = await added();
  expect(await statuses(former.ofRest)).toBe(401);
  expect(await gateway.mcp(former.ofTools)).toBe(401);
  expect(await statuses(present.ofRest)).toBe(200);
  expect(await tokensCommand(at, 'list')).toMatch(/orphaned[\s\S]* live /);

  await clients(at, 'rotate-secret 9');
  await clients(at, 'contract 9 --competitions 5');
  expect([await statuses(present.ofRest), await gateway.mcp(present.ofTools)]).toEqual([200, 400]);
});

test('lists, labels, expires and revokes tokens; every replica applies it within seconds', async () => {
  await clients(at, 'add --id 5');
  await clients(at, 'add --id 6');
  const issuing = await startGateway(at, (await startUpstream(grant)).url, { TOKEN_LIFETIME_DAYS: '0' });
  const replicas = await Promise.all([followed(at), followed(at)]);
  const issued = [];
  for (const label of ['first', 'second', 'third'])
    issued.push((await issuing.exchange({ client_id: '5', secret_key: 'x', label })).body);
  expect(issued.map(({ expires_at }) => expires_at)).toEqual([null, null, null]);
  const [first = '', second = '', third = ''] = issued.map(({ token }) => token);
  const everywhere = async (token: string, known: boolean): Promise<number> => {
    const started = performance.now();
    await untilTrue(`every replica ${known ? 'takes' : 'refuses'} the token`, () =>
      replicas.every((tokens) => (tokens.find(token, Date.now()) !== undefined) === known),
    );
    return performance.now() - started;
  };
  for (const token of [first, second, third]) await everywhere(token, true);

  const listed = (await tokensCommand(at, 'list', '--client', '5', '--json'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(listed).toMatchObject([
    { client_id: 5, label: 'first', state: 'live', expires_at: null },
    { client_id: 5, label: 'second', state: 'live' },
    { client_id: 5, label: 'third', state: 'live' },
  ]);
  expect(listed.every((token) => !('token_hash' in token))).toBe(true);
  expect(await tokensCommand(at, 'list', '--client', '6')).toBe('there are no tokens\n');
  const [one, two] = listed.map(({ token_id }) => String(token_id));

  expect(await tokensCommand(at, 'label', one ?? '', 'the desk')).toContain('the desk');
  expect(await tokensCommand(at, 'revoke', one ?? '', '--yes')).toContain('revoked');
  expect(await everywhere(first, false)).toBeLessThan(5_000);
  expect(await tokensCommand(at, 'expire', two ?? '', '--at', '2020-01-01')).toContain('expired');
  expect(await everywhere(second, false)).toBeLessThan(5_000);
  await tokensCommand(at, 'expire', two ?? '', '--never');
  await everywhere(second, true);
  expect(await tokensCommand(at, 'revoke', '--client', '5', '--yes')).toMatch(
    /^\S+\* of \S+: 2 tokens of client 5 are revoked\n$/,
  );
  await everywhere(second, false);
  await everywhere(third, false);
  // A replica that starts later knows it too.
  expect((await followed(at)).find(third, Date.now())).toBeUndefined();
});
