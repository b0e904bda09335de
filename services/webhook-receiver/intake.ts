import { type Delivery, readDelivery } from '#contract/delivery.ts';
import type { Logger } from '#service/logger.ts';
import type { Publisher } from '#streams/publisher.ts';
import type { ReceiverMetrics } from './metrics.ts';
import type { DeliveryEncoder } from './records.ts';

/** Takes in the body of an authentic delivery; resolves when all of it is on the topics. */
export type Intake = (body: Buffer) => Promise<void>;

/** What an intake works with. */
export type IntakeParts = {
  readonly publisher: Publisher;
  readonly encode: DeliveryEncoder;
  readonly metrics: ReceiverMetrics;
  readonly log: Logger;
};

/** The name under which this service signs what it gives up. */
export const SERVICE = 'webhook-receiver';

/**
 * The way of a body: read, encoded, published, counted. Rejects with `PublishError` where the broker has not
 * acknowledged all of it; then the sender must repeat it, and what was written is written again to no effect.
 */
export function createIntake({ publisher, encode, metrics, log }: IntakeParts): Intake {
  return async (body) => {
    const delivery = readDelivery(body, { origin: 'webhook', service: SERVICE, receivedAt: Date.now() });
    const records = encode(delivery);
    if (records.length > 0) {
      const sent = performance.now();
      await publisher.publish(records);
      metrics.publishSeconds.observe((performance.now() - sent) / 1000);
    }
    count(delivery);
  };

  function count({ normalized, deadLetters, ignored }: Delivery): void {
    for (const { type } of normalized) metrics.messages.inc({ type });
    for (const [type, times] of ignored) {
      metrics.messages.inc({ type: 'unknown' }, times);
      log.debug({ type: type.slice(0, 100), times }, 'messages of a type that nothing here uses');
    }
    for (const { id, code, reason } of deadLetters) {
      metrics.deadLetters.inc({ code });
      log.warn({ id, code, reason }, 'given up, see dead-letters');
    }
  }
}
