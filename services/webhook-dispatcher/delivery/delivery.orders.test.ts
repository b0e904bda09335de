import { describe, expect, test } from 'vitest';
import type { DeliveryOutcome } from '#outbound/endpoint.ts';
import { ACCEPTED, DeliveryWorld, started, texts } from './testing/delivery-world.ts';

describe('an order', () => {
  test('to resend from an earlier offset is applied at once, also during a request', async () => {
    const world = DeliveryWorld.startedAt(4, 0);
    world.publish(0, 6);
    const { delivery, release } = await world.deliverHeld();
    const again = { ...started(1, 0), epoch: 2 };
    world.progress = again;
    delivery.applyOrder(again);
    release();
    expect(await world.has(7)).toEqual([...texts(0, 4, 6), ...texts(0, 1, 6)]);
    await world.reached(6);
    expect(world.progress?.epoch).toBe(2);
  });

  test('is not undone by a request that is accepted while the order is applied', async () => {
    const world = DeliveryWorld.startedAt(3, 0);
    world.publish(0, 6);
    const accepted = Promise.withResolvers<DeliveryOutcome>();
    world.answer = () => (world.posted.length === 1 ? accepted.promise : ACCEPTED);
    const delivery = world.deliver();
    await world.has(3);
    accepted.resolve(ACCEPTED);
    delivery.applyOrder({ ...started(0, 0), epoch: 2 });
    expect(await world.has(9)).toEqual([...texts(0, 3, 6), ...texts(0, 0, 6)]);
  });

  test('to disable stops the delivery until an order to enable, which continues at the same offset', async () => {
    const world = new DeliveryWorld();
    world.progress = { ...started(0, 0), epoch: 2, disabled: 'operator' };
    world.publish(0, 2);
    const delivery = world.deliver();
    expect(delivery.state).toBe('disabled');
    world.progress = { ...started(0, 0), epoch: 3 };
    delivery.applyOrder(world.progress);
    expect(await world.has(2)).toEqual(texts(0, 0, 2));
  });
});

describe('the end of a delivery', () => {
  test('leaves a pending batch to the next owner when it is closed', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    world.publish(0, 2);
    const { delivery } = await world.deliverHeld();
    await delivery.close();
    expect(world.attempts).toEqual([]);
  });

  test('waits for a pending batch and records it when it is drained', async () => {
    const world = DeliveryWorld.startedAt(0, 0);
    world.publish(0, 4);
    const { delivery, release } = await world.deliverHeld();
    const drained = delivery.drain();
    release();
    await drained;
    expect(world.attempts.map(({ kind }) => kind)).toEqual(['delivered']);
    expect(world.posted).toHaveLength(1);
  });
});
