import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isFree } from '#embedded/ports.ts';
import { incidentMessage } from '#ingestion/testing/messages.ts';
import { backbone } from '../../setup/backbone.ts';
import { untilTrue } from '../../support/poll.ts';
import { makeTopicsOf } from '../../support/topics.ts';
import { type ReceiverTopics, SECRET, signed, TestReceiver } from './support.ts';

const body = JSON.stringify([incidentMessage()]);
const NO_RECORDS = { 'raw-messages': 0, 'normalized-messages': 0, 'dead-letters': 0 };

/** Timeout after which Fastify would close an idle connection. */
const KEEP_ALIVE_MS = 72_000;

/** Topics shared by the tests that read none: creating topics takes longer than most of these tests. */
let topics: ReceiverTopics;
beforeAll(async () => {
  const { brokers, registryUrl, prefix } = backbone();
  topics = { brokers, registryUrl, prefix };
  await makeTopicsOf(['webhook-receiver'], { brokers, prefix, partitions: 2 });
});

// services/webhook-receiver has every refusal, and every coding of a body.
test('a refused request leaves no record on any topic, and is counted', async () => {
  const other = 'another-secret-of-32-characters.';
  const receiver = await TestReceiver.start(backbone(), { WEBHOOK_SECRET: `${other},${SECRET}` });
  for (const [how, text] of [
    [{ secret: 'x'.repeat(32) }, 'The signature does not match.'],
    [{ sentAt: 0 }, 'The signature has expired.'],
  ] as const)
    expect(await receiver.post(body, signed(body, how))).toMatchObject({ status: 401, text });
  expect((await receiver.post(`[${'{},'.repeat(10_000)}{}]`)).status).toBe(413);
  expect(await receiver.counts()).toEqual(NO_RECORDS);
  // Proves that the same read finds the records of an accepted delivery.
  for (const secret of [SECRET, other])
    expect((await receiver.post(body, signed(body, { secret }))).status).toBe(200);
  expect(await receiver.counts()).toEqual({ ...NO_RECORDS, 'raw-messages': 2, 'normalized-messages': 2 });
  const metrics = await receiver.metrics.metrics();
  expect(metrics).toMatch(/touchline_webhook_requests_total\{outcome="not_authentic".*\} 2$/m);
  expect(metrics).toMatch(/touchline_webhook_refused_total\{check="timestamp_expired".*\} 1$/m);
  expect(metrics).not.toContain(SECRET);
  await receiver.stop();
});

describe('an accepted request', () => {
  let receiver: TestReceiver;
  beforeAll(async () => {
    receiver = await TestReceiver.start(backbone());
  });
  afterAll(() => receiver.stop());
  const accepted = { status: 200, text: 'Accepted' };

  test('gets exactly "Accepted", as text, after all its records are on the topics', async () => {
    const answer = await receiver.post(body);
    expect(answer).toMatchObject(accepted);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    const [raw] = await receiver.read('raw-messages');
    expect(raw?.body).toEqual(Buffer.from(body));
    expect(await receiver.read('normalized-messages')).toMatchObject([
      { type: 'incident', origin: 'webhook', delivery_id: raw?.delivery_id, received_at: raw?.received_at },
    ]);
  });

  test('has the same delivery id, messages and dead letters when it is repeated', async () => {
    const batch = `[${JSON.stringify(incidentMessage({ id: 77 }))},5]`;
    await receiver.post(batch);
    await receiver.post(batch);
    const raw = (await receiver.read('raw-messages')).filter(({ body: bytes }) => bytes.toString() === batch);
    expect(raw.map(({ delivery_id }) => delivery_id)).toEqual([raw[0]?.delivery_id, raw[0]?.delivery_id]);
    const messages = (await receiver.read('normalized-messages')).filter(
      ({ message_id }) => message_id === '77',
    );
    const [first, second] = messages.map(({ received_at: _, ...message }) => message);
    expect(messages).toHaveLength(2);
    expect(second).toEqual(first);
    const ids = (await receiver.read('dead-letters'))
      .filter(({ value }) => value?.toString() === '5')
      .map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  test('is reported to feed health when no message of it can be read', async () => {
    await untilTrue('three in a row are reported', async () => {
      expect(await receiver.post('[1]')).toMatchObject(accepted);
      const statuses = await receiver.read('ingress-status');
      return statuses.some(({ unreadable_in_row, state }) => unreadable_in_row >= 3 && state === 'up');
    });
  });

  test('may have the maximum size', async () => {
    const filler = 'x'.repeat(2_500_000);
    const large = JSON.stringify([
      incidentMessage({ id: 78 }),
      { type: 'weather', filler },
      { type: 'weather', filler },
    ]);
    expect(large.length).toBeGreaterThan(5_000_000);
    expect(await receiver.post(large)).toMatchObject(accepted);
    expect((await receiver.read('raw-messages')).map(({ body: bytes }) => bytes.length)).toContain(
      large.length,
    );
  });
});

describe('a stop', () => {
  test('waits for a delivery in progress, but not until its connection is idle', async () => {
    const receiver = await TestReceiver.startOn(topics);
    let received = '';
    const socket = connect(receiver.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const closed = once(socket, 'close');
    socket.setEncoding('latin1').on('data', (text) => {
      received += text;
    });
    const head = {
      host: 'localhost',
      expect: '100-continue',
      'content-length': String(Buffer.byteLength(body)),
    };
    const lines = Object.entries({ ...head, ...signed(body) }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    socket.write(`POST /webhook HTTP/1.1\r\n${lines.join('')}\r\n`);
    await untilTrue('the delivery is in progress', () => received.includes('100 Continue'));
    const started = performance.now();
    const stopped = receiver.stop();
    await untilTrue('it has stopped listening', () => isFree(receiver.port));
    socket.write(body);
    await stopped;
    expect(performance.now() - started).toBeLessThan(KEEP_ALIVE_MS);
    // The end of the receiver's thread may be reported before the last bytes of its connection are read here.
    await closed;
    expect(received).toMatch(/HTTP\/1\.1 200 [\s\S]*Accepted$/);
  });
});
