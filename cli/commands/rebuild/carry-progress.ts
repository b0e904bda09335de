/** Carries the progress of webhooks over a rebuild of the dispatcher. */
import { withPublisher } from '#streams/publish/publisher.ts';
import type { WebhookAttempt } from '#topics/generated/types.ts';
import { readLatest } from '#topics/read-values.ts';
import { topicName } from '#topics/topics.ts';
import { carryOver, catchUp } from '#webhooks/carry-over.ts';
import { commandLog, type OpenCluster } from '../../cluster.ts';
import { readEach } from '../../topic-reads.ts';

/**
 * Writes to webhook-attempts what webhook-progress has of each subscription: the attempts that it was folded from expire
 * after 30 days. Gives the number of subscriptions. Throws as `readEach` and `PublishError`.
 */
export async function carryProgress(place: OpenCluster): Promise<number> {
  const committed = await readLatest('webhook-progress', place);
  const all: WebhookAttempt[] = [];
  await readEach(place, 'webhook-attempts', (attempt) => void all.push(attempt));
  const attempts = Map.groupBy(all, ({ subscription_id }) => subscription_id);
  const ids = new Set([...committed.keys(), ...attempts.keys()]);
  const progress = [...ids]
    .map((id) => catchUp(committed.get(id) ?? null, attempts.get(id) ?? []))
    .filter((known) => known !== null);
  const codec = await place.registry.codec('webhook-attempts');
  const topic = topicName(place.prefix, 'webhook-attempts');
  const records = progress
    .flatMap(carryOver)
    .map((attempt) => ({ topic, key: attempt.subscription_id, value: codec.encode(attempt) }));
  const options = { brokers: place.brokers, clientId: 'touchline-rebuild', log: commandLog('rebuild') };
  await withPublisher(options, (publisher) => publisher.publish(records));
  return progress.length;
}
