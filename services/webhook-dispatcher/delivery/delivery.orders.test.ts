import { describe, expect, test } from 'vitest';
import type { DeliveryOutcome } from '#outbound/endpoint.ts';
import { ACCEPTED, DeliveryWorld, SUBSCRIPTION, started, texts } from './testing/delivery-world.ts';

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
    expect(world.records.map(({ epoch, disabled }) => [epoch, disabled])).toEqual([
      [1, 'operator'],
      [2, null],
      [2, null],
    ]);
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
