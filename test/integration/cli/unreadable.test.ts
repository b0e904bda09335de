/** Records that nobody can read, on every topic of a running platform: its services and commands leave them out; a replay: test/system/replay. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ClientDirectory } from '#clients/directory.ts';
import { partitionOfKey } from '#streams/client/port.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { Registry } from '#topics/registry.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { TOPIC_NAMES, topicName } from '#topics/topics.ts';
import type { TestBackbone } from '../../setup/backbone.ts';
import { CLIENTS_KEY } from '../../support/environment.ts';
import { quietLog } from '../../support/log.ts';
import { untilTrue } from '../../support/poll.ts';
import { startService, type TestService } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { initializedCluster } from './topics.ts';

const UNKNOWN_SCHEMA = Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3]);
const MATCH = sampleOf('match-state');
/** Of each topic of a match (`initializedCluster`). */
const PARTITIONS = 2;
/** A later record of the match, which another partitioner puts beside its partition. */
const STRAY = { ...MATCH, version: MATCH.version + 5, name: 'a stray record' };

/** Values of other writers, on every topic. For a schema that the registry lacks, a reader asks it for five seconds: one topic has one. */
const UNREADABLE = [Buffer.from('8d1f6c2b9e0a', 'hex'), Buffer.alloc(0)];
/** Readers of topics that hold no partition. The receiver reads none. */
const READERS = ['api', 'tool-gateway', 'feed-monitor', 'webhook-dispatcher'] as const;

let connection: TestBackbone;
let env: Readonly<Record<string, string>>;
const services = new Map<string, TestService>();

beforeAll(async () => {
  const cluster = await initializedCluster();
  connection = cluster.connection;
  env = { ...cluster.env, CLIENTS_KEY, DATA_DIR: temporaryFolder() };
  await touchlineHere(['clients', 'add', '--name', 'first'], env);
  for (const name of READERS)
    services.set(
      name,
      startService(name, {
        ...env,
        DATA_DIR: temporaryFolder(),
        API_PORT: '0',
        TOOLS_PORT: '0',
        DISPATCHER_PORT: '0',
        UPSTREAM_BASE_URL: 'http://127.0.0.1:9',
      }),
    );
  for (const service of services.values()) await service.ready();
  const { brokers, prefix, registryUrl } = connection;
  const codec = await new Registry({ url: registryUrl, prefix }).codec('match-state');
  await withPublisher({ brokers, clientId: 'test', log: quietLog }, async (publisher) => {
    const records = TOPIC_NAMES.flatMap((name) => {
      const topic = topicName(prefix, name);
      return [
        ...UNREADABLE.map((value) => ({ topic, key: 'nobody', value })),
        { topic, key: 'not ours', value: null },
      ];
    });
    const states = topicName(prefix, 'match-state');
    const key = String(MATCH.event_id);
    await publisher.publish([
      ...records,
      { topic: states, key: 'nobody', value: UNKNOWN_SCHEMA },
      { topic: states, key, value: codec.encode(MATCH) },
      {
        topic: states,
        key,
        value: codec.encode(STRAY),
        partition: (partitionOfKey(key, PARTITIONS) + 1) % PARTITIONS,
      },
    ]);
  });
});

describe('records that nobody can read', () => {
  test.each(READERS)('are left out and counted by a running %s', async (name) => {
    const service = services.get(name) ?? expect.fail('not started');
    await untilTrue('it counts them', async () =>
      /^touchline_unreadable_records_total\{.*\} [1-9]/m.test(await service.metrics()),
    );
    await service.ready();
    expect(service.lines.join('\n')).toContain('a record that nobody can read is left out');
    if (name === 'api' || name === 'tool-gateway')
      await untilTrue('it names the record of another partition', () =>
        /it is in partition \d, its event belongs to another one/.test(service.lines.join('\n')),
      );
  });

  test.each([
    ['live', '--json'],
    ['match', String(MATCH.event_id)],
    ['webhooks', 'list'],
    ['clients', 'list'],
    ['tokens', 'list'],
    ['export', 'states'],
    ['export', 'tables'],
  ])('are left out by `touchline %s`', async (...args) => {
    const { code, out, err } = await touchlineHere(args, env);
    expect(err).not.toContain('touchline ');
    expect(code, err).toBe(0);
    // The client beside them is not hidden.
    if (args[0] === 'clients') expect(out).toContain('first');
    expect(out).not.toContain(STRAY.name);
  });

  test('are not written over under their key, and do not count as none', async () => {
    const directory = new ClientDirectory('clients', { ...connection, log: quietLog });
    const draft = { client_id: 7, name: 'x', active: true, secret_hash: 'h' };
    const change = () => ({ ...draft, competitions: null, operations: null, may_halt: false, webhooks: [] });
    await withPublisher({ brokers: connection.brokers, clientId: 'test', log: quietLog }, (publisher) =>
      publisher.publish([
        { topic: topicName(connection.prefix, 'clients'), key: '7', value: UNKNOWN_SCHEMA },
      ]),
    );
    const refusal = {
      code: 'KEY_UNREADABLE',
      message: expect.stringContaining('the registry has no schema'),
    };
    await expect(directory.edit(7, change)).rejects.toMatchObject(refusal);
    await expect(directory.requireReadable()).rejects.toMatchObject({ code: 'KEY_UNREADABLE' });
    await directory.edit(8, () => ({ ...change(), client_id: 8 }));
  });

  test('are named by doctor, of every topic', async () => {
    const { out, code } = await touchlineHere(['doctor'], env);
    expect(code).toBe(1);
    for (const name of TOPIC_NAMES) {
      const topic = topicName(connection.prefix, name);
      expect(out, name).toMatch(new RegExp(`(nobody can read|;) ${topic}-\\d+, offset \\d+: `));
    }
    // One for each cause: no schema at the registry, and bytes of other writers.
    expect(out.match(/^failed +records /gm)).toHaveLength(2);
  });
});
