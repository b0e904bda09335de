import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readTopic } from '#cluster/read-topic.ts';
import { type Kafka, startKafka } from '#embedded/kafka.ts';
import { freePort } from '#embedded/ports.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { openPublisher, type Publisher } from '#streams/publish/publisher.ts';
import { quietLog } from '../../support/log.ts';
import { untilTrue } from '../../support/poll.ts';
import { makeTopics } from '../../support/topics.ts';

/** Where a request has its kind: after the length. */
const API_KEY_AT = 4;
const PRODUCE = 0;

/** A proxy to a broker: counts open connections, and withholds the next answers to produce requests on request. */
class Between {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  /** Withheld answers; the connection is cut instead. */
  cuts = 0;

  constructor(brokerPort: () => number) {
    this.#server = createServer((client) => {
      const broker = connect(brokerPort(), '127.0.0.1');
      this.#open.add(client);
      client
        .on('error', () => broker.destroy())
        .on('close', () => {
          broker.destroy();
          this.#open.delete(client);
        });
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
  }

  get open(): number {
    return this.#open.size;
  }

  async listen(): Promise<number> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }
}

const TOPIC = 'idle';
let dataDir: string;
let kafka: Kafka;
let brokerPort = 0;
const between = new Between(() => brokerPort);
let at: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchline-idle-'));
  at = `127.0.0.1:${await between.listen()}`;
  brokerPort = await freePort();
  const settings = { 'connections.max.idle.ms': '1000', 'advertised.listeners': `PLAINTEXT://${at}` };
  kafka = await startKafka({ dataDir, port: brokerPort, settings, jvmArgs: QUICK_START });
  await makeTopics([at], [{ topic: TOPIC, numPartitions: 2, replicationFactor: 1 }]);
});
afterAll(async () => {
  between.close();
  await kafka?.stop();
  await rm(dataDir, { recursive: true, force: true });
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
    const texts: string[] = [];
    await readTopic({
      brokers: [at],
      topic: TOPIC,
      untilEnd: true,
      onRecord: ({ value }) => void texts.push(String(value)),
    });
    return texts.sort();
  };

  beforeEach(async () => {
    warnings.length = 0;
    failures.length = 0;
    const log = {
      ...quietLog,
      info: (fields: { readonly failures?: number }) => void failures.push(fields.failures),
      warn: (_fields: object, message?: string) => void warnings.push(message ?? ''),
    };
    publisher = await openPublisher({ brokers: [at], clientId: 'idle-test', log });
    onTestFinished(() => publisher.close());
  });

  test('by an idle broker sends the next record over another one, without a failure', async () => {
    await publish('before');
    await untilTrue('the broker has closed what is idle', () => between.open === 0);
    await publish('after');
    expect(await written()).toEqual(published.toSorted());
    expect([warnings, publisher.healthy]).toEqual([[], true]);
  });

  test('before its answer arrived sends the record again, and writes it once', async () => {
    await publish('first');
    between.cuts = 1;
    await publish('second');
    expect(between.cuts).toBe(0);
    await publish('third');
    expect(await written()).toEqual(published.toSorted());
    expect([warnings, publisher.healthy]).toEqual([[], true]);
  });

  test('before its answer arrived, time and again, writes the record once too', async () => {
    between.cuts = 4;
    await publish('often');
    expect(between.cuts).toBe(0);
    await publish('afterwards');
    expect(await written()).toEqual(published.toSorted());
    expect(warnings).toHaveLength(1);
    expect(failures).toEqual([3]);
    expect(publisher.healthy).toBe(true);
  });
});
