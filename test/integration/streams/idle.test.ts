/** Connections that the broker closes as idle, or that end before a response arrives. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openPublisher, type Publisher } from '#streams/publish/publisher.ts';
import { atEnd } from '../../support/at-end.ts';
import { quietLog } from '../../support/log.ts';
import { startProxiedKafka } from '../../support/own-kafka.ts';
import { untilTrue } from '../../support/poll.ts';
import type { TcpProxy } from '../../support/proxy.ts';
import { readRecords } from '../../support/read-records.ts';
import { makeTopics } from '../../support/topics.ts';
import { CountingApplication } from './counting.ts';

const ROUNDS = 3;
/** Opening a connection takes a few milliseconds; a claim after a retry half a second. */
const MAX_DELAY_MS = 150;
/** Position of the API key in a request, after the length. */
const API_KEY_AT = 4;
const PRODUCE = 0;
const TOPIC = 'idle';

/** A proxy before the broker. It withholds the next responses to produce requests, and cuts the connection instead. */
class Withholding {
  /** Number of responses that are still to be withheld. */
  cuts = 0;

  /** Listens for connections to the broker until the file ends. Returns the port. */
  async listen(brokerPort: number): Promise<number> {
    const server = createServer((client) => {
      const broker = connect(brokerPort, '127.0.0.1');
      client.on('error', () => broker.destroy()).on('close', () => broker.destroy());
      broker.on('error', () => client.destroy()).on('close', () => client.destroy());
      let produces = false;
      client.on('data', (request) => {
        produces = request.readInt16BE(API_KEY_AT) === PRODUCE;
        broker.write(request);
      });
      broker.on('data', (answer) => {
        if (this.cuts === 0 || !produces) client.write(answer);
        else {
          this.cuts -= 1;
          client.destroy();
        }
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    atEnd(() => server.close());
    return (server.address() as AddressInfo).port;
  }
}

const withholding = new Withholding();
let proxy: TcpProxy;
let brokers: string[];

beforeAll(async () => {
  // Longer than a fetch of an idle reader waits.
  const proxied = await startProxiedKafka({ settings: { 'connections.max.idle.ms': '6000' } });
  ({ proxy, brokers } = proxied);
  proxy.forwardTo(await withholding.listen(proxied.kafka.ports.PROXIED as number));
  await makeTopics(brokers, [{ name: TOPIC, partitions: 2, replicationFactor: 1 }]);
});

test('opens idle connections of a task again at once, without a claim', async () => {
  const counting = await CountingApplication.create({ brokers, prefix: 'idle.' });
  const { metric } = await counting.start();
  let sent = 0;
  /** Sends a record; returns how long it takes, milliseconds, and how many connections are opened for it. */
  const count = async (): Promise<{ ms: number; opened: number }> => {
    sent += 1;
    const { accepted } = proxy;
    const started = performance.now();
    await counting.send(['a', String(sent)]);
    await untilTrue('it counts', async () => (await metric('touchline_records_total')) === sent);
    return { ms: performance.now() - started, opened: proxy.accepted - accepted };
  };
  const usual: Awaited<ReturnType<typeof count>>[] = [];
  const afterIdle: typeof usual = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await count();
    usual.push(await count());
    // Connections in use stay open: those of group members and of reads. A check of idle logs opens one now and then.
    const { open } = proxy;
    await untilTrue('the broker closes some', () => proxy.open < open);
    const inUse = proxy.open;
    await untilTrue('the broker closes more', () => proxy.open < inUse, 2_000).catch(() => {});
    afterIdle.push(await count());
  }
  // The sender opens its connections each time.
  const opened = (of: typeof usual) => of.map((one) => one.opened);
  expect(Math.max(...opened(afterIdle))).toBeGreaterThan(Math.min(...opened(usual)));
  const least = (of: typeof usual) => Math.min(...of.map(({ ms }) => ms));
  expect(least(afterIdle)).toBeLessThan(least(usual) + MAX_DELAY_MS);
  expect(await metric('touchline_claims_total')).toBe(2);
  expect(await metric('touchline_task_failures_total')).toBe(0);
  const history = await counting.history(counting.counts);
  expect(history).toEqual(Array.from({ length: sent }, (_, at) => ['a', String(at + 1)]));
});

describe('a publisher whose connection was closed', () => {
  let publisher: Publisher;
  const warnings: string[] = [];
  const failures: unknown[] = [];
  const published: string[] = [];

  const publish = async (text: string): Promise<void> => {
    published.push(text);
    await publisher.publish([{ topic: TOPIC, key: text, value: Buffer.from(text) }]);
  };
  const written = async (): Promise<string[]> => {
    const records = await readRecords(brokers, TOPIC);
    return records.map(({ value }) => String(value)).sort();
  };

  beforeEach(async () => {
    warnings.length = 0;
    failures.length = 0;
    const log = {
      ...quietLog,
      info: (fields: { readonly failures?: number }) => void failures.push(fields.failures),
      warn: (_fields: object, message?: string) => void warnings.push(message ?? ''),
    };
    publisher = await openPublisher({ brokers, clientId: 'idle-test', log });
    onTestFinished(() => publisher.close());
  });

  test('as idle sends the next record over a new one, without a failure', async () => {
    await publish('before');
    await untilTrue('the broker has closed all connections', () => proxy.open === 0);
    await publish('after');
    expect(await written()).toEqual(published.toSorted());
    expect([warnings, publisher.healthy]).toEqual([[], true]);
  });

  test('before the response sends the record again, and writes it once', async () => {
    await publish('first');
    withholding.cuts = 1;
    await publish('second');
    expect(withholding.cuts).toBe(0);
    await publish('third');
    expect(await written()).toEqual(published.toSorted());
    expect([warnings, publisher.healthy]).toEqual([[], true]);
  });

  test('before the response several times also writes the record once', async () => {
    withholding.cuts = 4;
    await publish('often');
    expect(withholding.cuts).toBe(0);
    await publish('afterwards');
    expect(await written()).toEqual(published.toSorted());
    expect(warnings).toHaveLength(1);
    expect(failures).toEqual([3]);
    expect(publisher.healthy).toBe(true);
  });
});
