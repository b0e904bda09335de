import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Kafka } from '#embedded/kafka.ts';
import { incidentMessage } from '#ingestion/testing/messages.ts';
import { TestReceiver } from '../../integration/webhook-receiver/support.ts';
import { backbone } from '../../setup/backbone.ts';
import { machineLoad, times } from '../../support/harness.ts';
import { until } from '../../support/poll.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';

/** Outage of the broker, patience of the receiver, and timeout of a sender, in milliseconds: long, short, between. */
const [OUTAGE_MS, PATIENCE_MS, SENDER_TIMEOUT_MS] = times([20_000, 8_000, 10_000], [5_000, 2_000, 4_000]);
const SENDERS = 20;
const EVENTS = 50;

let kafka: Kafka;

beforeAll(async () => {
  ({ kafka } = await restartableKafka());
});

type Sent = { readonly id: number; readonly status: number; readonly ms: number; readonly at: number };

const TICK_MS = 100;

/** A clock that stops while this process is delayed, so that a busy machine's delays do not count for the receiver. */
class Clock {
  readonly #ticks = setInterval(() => this.now(), TICK_MS);
  #last = performance.now();
  #heldUp = 0;

  now(): number {
    const now = performance.now();
    this.#heldUp += Math.max(0, now - this.#last - TICK_MS);
    this.#last = now;
    return now - this.#heldUp;
  }

  stop(): void {
    clearInterval(this.#ticks);
  }
}

/**
 * Sends different deliveries from many senders at once. Like the provider, each repeats a delivery until it is
 * accepted.
 */
class Load {
  readonly answers: Sent[] = [];
  readonly clock = new Clock();
  readonly bodies = new Map<number, string>();
  readonly #receiver: TestReceiver;
  readonly #senders: Promise<void>[];
  #next = 0;
  #stopping = false;

  constructor(receiver: TestReceiver) {
    this.#receiver = receiver;
    this.#senders = Array.from({ length: SENDERS }, () => this.#send());
  }

  get accepted(): number {
    return this.answers.filter(({ status }) => status === 200).length;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#senders);
    this.clock.stop();
  }

  async #send(): Promise<void> {
    while (!this.#stopping) {
      const id = this.#next++;
      const body = JSON.stringify([
        incidentMessage({ id }, { id: `5-${id}` }, { id: 7_000_000 + (id % EVENTS) }),
      ]);
      this.bodies.set(id, body);
      for (let done = false; !done && !this.#stopping; ) {
        const at = this.clock.now();
        const { status, text } = await this.#receiver.post(body);
        done = status === 200 && text === 'Accepted';
        this.answers.push({ id, status, ms: this.clock.now() - at, at });
        if (!done) await delay(50);
      }
    }
  }
}

const KILLED = ['is killed', 'SIGKILL'] as const;
const HANGS = ['hangs', 'SIGSTOP'] as const;

// The last test has a broker that hangs too, with few deliveries.
describe.each(times([KILLED, HANGS], [KILLED]))('while the broker %s', (_what, signal) => {
  test(`for ${OUTAGE_MS / 1000} s, errors are answered in time, and no accepted delivery is lost`, async () => {
    const settings = { PATIENCE_MS: String(PATIENCE_MS) };
    const receiver = await TestReceiver.start({ ...backbone(), brokers: kafka.brokers }, settings);
    const load = new Load(receiver);
    await until('the load runs', () => (load.accepted > 200 ? true : undefined));

    const down = load.clock.now();
    await kafka.kill(signal);
    await delay(OUTAGE_MS);
    // Pending deliveries at the start of the outage were acknowledged before, or are not accepted.
    const settled = load.answers.filter(({ status, at }) => status === 200 && at > down + 500);
    expect(settled).toEqual([]);
    await (signal === 'SIGKILL' ? kafka.start() : kafka.kill('SIGCONT'));
    const up = load.clock.now();

    const before = load.accepted;
    await until('deliveries are accepted again', () => (load.accepted > before + 200 ? true : undefined));
    const accepting = load.clock.now();
    await load.stop();

    expect(new Set(load.answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
    expect(Math.max(...load.answers.map(({ ms }) => ms)), machineLoad()).toBeLessThan(SENDER_TIMEOUT_MS);
    expect(accepting - up, machineLoad()).toBeLessThan(60_000);

    const accepted = new Set(load.answers.filter(({ status }) => status === 200).map(({ id }) => id));
    const raw = new Set((await receiver.read('raw-messages')).map(({ delivery_id }) => delivery_id));
    const normalized = new Set(
      (await receiver.read('normalized-messages')).map(({ message_id }) => message_id),
    );
    const lost = [...accepted].filter((id) => {
      const deliveryId = createHash('sha256')
        .update(load.bodies.get(id) ?? '')
        .digest('hex');
      return !raw.has(deliveryId) || !normalized.has(String(id));
    });
    expect(lost).toEqual([]);
    expect(await receiver.read('dead-letters')).toEqual([]);
    await receiver.stop();
  });
});

test('limits pending deliveries: further ones are refused at once', async () => {
  const receiver = await TestReceiver.start(
    { ...backbone(), brokers: kafka.brokers },
    { QUEUE_LIMIT: String(1024 * 1024), PATIENCE_MS: '5000' },
  );
  const large = (id: number) => JSON.stringify([{ type: 'weather', id, filler: 'x'.repeat(600_000) }]);
  await until('a delivery is accepted', async () =>
    (await receiver.post(large(0))).status === 200 ? true : undefined,
  );
  await kafka.kill('SIGSTOP');
  let waits = true;
  const waiting = receiver.post(large(1)).finally(() => {
    waits = false;
  });
  await until('the first one waits', async () =>
    (await receiver.metric('pending_bytes')) > 0 ? true : undefined,
  );
  expect(await receiver.post(large(2))).toMatchObject({ status: 503, text: 'Not stored, repeat it.' });
  // One more round: an answer that arrived together with that one would be here.
  expect((await receiver.post('[]')).status).toBe(200);
  expect(waits).toBe(true);
  expect((await waiting).status).toBe(503);
  await kafka.kill('SIGCONT');
  await until('deliveries are accepted again', async () =>
    (await receiver.post(large(2))).status === 200 ? true : undefined,
  );
  await receiver.stop();
});
