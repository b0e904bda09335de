import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { DeliveryOutcome } from '#outbound/endpoint.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { untilTrue } from '../../../test/support/poll.ts';
import { ACCEPTED, DeliveryWorld, SUBSCRIPTION, started, texts } from './testing/delivery-world.ts';

describe('a delivery', () => {
  test('starts at the end of the log, and records the start', async () => {
    const world = new DeliveryWorld();
    world.publish(0, 5);
    world.deliver();
    await world.recorded();
    world.publish(0, 2);
    expect(await world.has(2)).toEqual(texts(0, 5, 7));
    await world.reached(7);
  });

  test('sends each partition in order, in batches, one request at a time', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    world.publish(0, 7);
    world.publish(1, 4);
    world.deliver();
    const all = await world.has(11);
    expect(all.filter((text) => text.startsWith('0'))).toEqual(texts(0, 0, 7));
    expect(all.filter((text) => text.startsWith('1'))).toEqual(texts(1, 0, 4));
    expect(world.posted.every((batch) => batch.length <= 3)).toBe(true);
    await world.reached(7);
  });

  test('sends further batches before earlier ones are recorded, with two full unrecorded ones at most', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    const written = Promise.withResolvers<void>();
    const flush = vi.fn();
    world.deliver({ progressLog: { write: () => written.promise, flush } });
    world.publish(0, 1);
    await world.has(1);
    await turn();
    expect(flush).not.toHaveBeenCalled();
    world.publish(0, 2);
    await world.has(3);
    await turn();
    expect(flush).toHaveBeenCalledTimes(1);
    world.publish(0, 1);
    await world.has(4);
    world.publish(0, 1);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(world.posted.flat()).toEqual(texts(0, 0, 4));
    written.resolve();
    expect(await world.has(5)).toEqual(texts(0, 0, 5));
  });

  test('sends an alert a request to a receiver of another format, written in it', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    const alert = { data: { alert: sampleOf('alerts') } };
    world.publish(0, 3, { type: 'alert', message: Buffer.from(JSON.stringify(alert)) });
    const form = { format: 'template', template: '[{"line":"{{kind}}"}]', types: new Set(['alert']) };
    world.deliver({}, { ...SUBSCRIPTION, ...form });
    await untilTrue('all are sent', () => world.posted.length === 3, 5_000);
    expect(world.posted).toEqual([[{ line: 'goal' }], [{ line: 'goal' }], [{ line: 'goal' }]]);
  });

  test('reads older messages from the log, then continues from the window', async () => {
    const world = new DeliveryWorld(60);
    world.progress = started(0, 0);
    world.publish(0, 40);
    expect(world.window.latest(0, 20)).toBeNull();
    world.deliver();
    expect(await world.has(40)).toEqual(texts(0, 0, 40));
  });

  test('records with a delivery the messages that it skipped in other partitions', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    const delivery = world.deliver({}, { ...SUBSCRIPTION, competitions: new Set([7]) });
    world.publish(1, 5, { competition_id: 8 });
    delivery.wake();
    await untilTrue('it has passed', () => delivery.behind === 0, 5_000);
    world.publish(0, 1, { competition_id: 7 });
    delivery.wake();
    await world.has(1);
    expect((await world.recorded()).next).toEqual([
      { partition: 0, offset: 1 },
      { partition: 1, offset: 5 },
    ]);
  });

  test('sends only what the subscription selects, and skips the rest', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    const mine = { ...SUBSCRIPTION, competitions: new Set([7]), types: new Set(['incident']) };
    const delivery = world.deliver({}, mine);
    world.publish(0, 1, { competition_id: 8 });
    world.publish(0, 1, { competition_id: null });
    world.publish(0, 1, { type: 'event' });
    world.publish(0, 1);
    expect(await world.has(1)).toEqual(['0:3']);
    delivery.change({ ...mine, competitions: new Set([8]), types: null });
    world.publish(0, 1);
    world.publish(0, 1, { competition_id: 8 });
    expect(await world.has(2)).toEqual(['0:3', '0:5']);
  });

  test('signs with a rotated secret only, from the next request on', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    const signed: string[] = [];
    world.answer = (_, secret) => {
      signed.push(secret);
      return ACCEPTED;
    };
    const delivery = world.deliver();
    world.publish(0, 1);
    await world.has(1);
    delivery.change({ ...SUBSCRIPTION, types: new Set(['incident']) });
    world.publish(0, 1);
    await world.has(2);
    expect(world.closed).toEqual([]);
    const next = 'n'.repeat(32);
    delivery.change({ ...SUBSCRIPTION, secret: next });
    world.publish(0, 1);
    expect(await world.has(3)).toEqual(texts(0, 0, 3));
    expect(signed).toEqual([SUBSCRIPTION.secret, SUBSCRIPTION.secret, next]);
    expect(world.closed).toEqual([SUBSCRIPTION.secret]);
  });

  test('records skipped messages at an interval', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    const delivery = world.deliver({}, { ...SUBSCRIPTION, competitions: new Set() });
    world.publish(0, 3);
    delivery.wake();
    await untilTrue('it has passed', () => delivery.behind === 0, 5_000);
    world.now += 60_000;
    delivery.wake();
    await world.reached(3);
    expect(world.posted).toEqual([]);
  });
});

describe('a delivery that is not accepted', () => {
  test('is retried after the delays of the schedule, and skips no message', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    const reset: DeliveryOutcome = { kind: 'failed', reason: 'ECONNRESET' };
    world.answers = [{ kind: 'timeout' }, { kind: 'different' }, reset, ACCEPTED];
    world.publish(0, 2);
    const delivery = world.deliver({ now: () => world.now++ });
    await world.reached(2);
    const whole = texts(0, 0, 2);
    expect(world.posted.slice(0, 4)).toEqual([whole, whole, whole, texts(0, 0, 1)]);
    const outcomes = world.records.map((of) => `${of.last_outcome} ${of.attempts} ${of.last_reason}`);
    const last = ['failed 3 ECONNRESET', 'accepted 0 null'];
    expect(outcomes.slice(0, 4)).toEqual(['timeout 1 null', 'different 2 null', ...last]);
    expect(world.progress).toMatchObject({ attempts: 0, failing_since: null });
    expect(delivery.state).toBe('delivering');
  });

  test('is narrowed to one message when it keeps failing, and widened with each accepted request', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    world.publish(0, 40);
    const refused: DeliveryOutcome = { kind: 'status', status: 500, retryAfterMs: null };
    world.answers = [refused, refused, refused, ACCEPTED];
    world.deliver({ limits: { messages: 20, bytes: 10_000 }, now: () => (world.now += 10) });
    await world.reached(40);
    expect(world.posted.map((batch) => batch.length)).toEqual([20, 20, 20, 1, 8, 20, 11]);
  });

  test('stays narrowed in a new dispatcher', async () => {
    const world = new DeliveryWorld();
    world.progress = { ...started(0, 0), attempts: 3, failing_since: 1 };
    world.publish(0, 2);
    world.deliver();
    await world.reached(2);
    expect(world.posted.map((batch) => batch.length)).toEqual([1, 1]);
  });

  test('delivers the messages before one that the receiver rejects, and repeats only that one', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    world.publish(0, 3);
    world.publish(1, 3);
    world.answer = (body) => (body.includes('"0:2"') ? { kind: 'different' } : ACCEPTED);
    const delivery = world.deliver({ now: Date.now });
    const alone = () => world.posted.slice(-3).filter((batch) => batch.join() === '0:2');
    await untilTrue('it waits alone', () => alone().length === 3, 5_000);
    expect(world.progress?.next[0]).toEqual({ partition: 0, offset: 2 });
    expect(delivery.state).toBe('failing');
  });

  test('waits as long as Retry-After says, also in a new dispatcher', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    world.answers = [{ kind: 'status', status: 503, retryAfterMs: 30_000 }];
    world.publish(0, 1);
    const delivery = world.deliver();
    const { next_attempt_at, last_reason } = await world.recorded();
    expect([next_attempt_at, last_reason]).toEqual([world.now + 30_000, '503']);
    expect(delivery.state).toBe('failing');
    await delivery.close();
    world.deliver().wake();
    world.publish(0, 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(world.posted).toHaveLength(1);
  });

  test('is tried again after its delay although the clock was set back meanwhile', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    world.answers = [{ kind: 'timeout' }, ACCEPTED];
    world.publish(0, 1);
    world.deliver({ delaysMs: [50] });
    await world.recorded();
    world.now -= 3_600_000;
    await world.reached(1);
  });

  test('is disabled once it has failed for the configured time', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    world.answers = [{ kind: 'timeout' }];
    world.publish(0, 1);
    // A clock that runs far ahead disables nothing before there were as many attempts as that time has.
    const now = () => (world.now += 1_000_000);
    const delivery = world.deliver({ now, delaysMs: [1, 20], disableAfterMs: 1_000 });
    await world.recorded(({ disabled }) => disabled === 'failing');
    expect(world.posted.length).toBeGreaterThan(20);
    expect(world.progress).toMatchObject({ disabled: 'failing', next: started(0, 0).next });
    expect(delivery.state).toBe('disabled');
    const sent = world.posted.length;
    world.publish(0, 1);
    expect(world.posted).toHaveLength(sent);
  });
});

test('records messages that expired before their delivery, and continues after them', async () => {
  const world = new DeliveryWorld(60);
  world.progress = started(2, 0);
  world.publish(0, 40);
  world.start = 10;
  world.deliver();
  expect(await world.has(30)).toEqual(texts(0, 10, 40));
  expect(world.records[0]?.next).toEqual(started(10, 0).next);
});

const after = (number: number, kind: string, ...next: number[]) => ({
  ...SUBSCRIPTION,
  orders: [{ number, kind, next: started(...next).next }],
});

describe('an order', () => {
  test('to resend from an earlier offset is applied at once, also during a request', async () => {
    const world = DeliveryWorld.startedAt(4, 0);
    world.publish(0, 6);
    const { delivery, release } = await world.deliverHeld();
    delivery.change(after(1, 'resent', 1, 0));
    release();
    expect(await world.has(7)).toEqual([...texts(0, 4, 6), ...texts(0, 1, 6)]);
    await world.reached(6);
    expect(world.progress?.epoch).toBe(1);
  });

  test('is not undone by a request that is accepted while the order is applied', async () => {
    const world = DeliveryWorld.startedAt(3, 0);
    world.publish(0, 6);
    const accepted = Promise.withResolvers<DeliveryOutcome>();
    world.answer = () => (world.posted.length === 1 ? accepted.promise : ACCEPTED);
    const delivery = world.deliver();
    await world.has(3);
    accepted.resolve(ACCEPTED);
    delivery.change(after(1, 'resent', 0, 0));
    expect(await world.has(9)).toEqual([...texts(0, 3, 6), ...texts(0, 0, 6)]);
  });

  test('to disable stops the delivery until an order to enable, which continues at the same offset', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    world.publish(0, 2);
    const delivery = world.deliver({}, after(1, 'disabled'));
    expect(delivery.state).toBe('disabled');
    delivery.change(after(2, 'enabled'));
    expect(await world.has(2)).toEqual(texts(0, 0, 2));
    const epochs = world.records.map(({ epoch, disabled }) => `${epoch} ${disabled}`);
    expect(epochs).toEqual(['1 operator', '2 null', '2 null']);
  });
});

describe('the end of a delivery', () => {
  test('leaves a pending batch to the next owner when it is closed', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    world.publish(0, 2);
    const { delivery } = await world.deliverHeld();
    await delivery.close();
    expect(world.records).toEqual([]);
  });

  test('waits for a pending batch and records it when it is drained', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    world.publish(0, 4);
    const { delivery, release } = await world.deliverHeld();
    const drained = delivery.drain();
    release();
    await drained;
    expect(world.records.map(({ last_outcome }) => last_outcome)).toEqual(['accepted']);
    expect(world.posted).toHaveLength(1);
  });
});
