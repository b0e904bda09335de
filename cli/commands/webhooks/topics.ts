/** Reads webhooks, attempts and messages from their topics, and writes orders. */
import { ClientDirectory } from '#clients/directory.ts';
import { wants } from '#clients/webhooks.ts';
import { offsetsAt } from '#cluster/logs.ts';
import type { WebhookAttempt, WebhookMessage, WebhookOffset } from '#records/types.ts';
import { partitionKey } from '#streams/client/port.ts';
import { findTopics } from '#topics/admin.ts';
import { follow, readLatest } from '#topics/follow.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { type AttemptKind, attemptOf } from '#webhooks/progress.ts';
import { commandLog, findWebhookKeys, type OpenCluster, publishValues } from '../../cluster.ts';
import { CommandError } from '../../command.ts';
import { escapeLine } from '../../values.ts';
import { addressOf } from '../clients/client.ts';
import type { WebhookRow } from './lines.ts';

export class WebhookTopics {
  readonly #cluster: OpenCluster;

  constructor(cluster: OpenCluster) {
    this.#cluster = cluster;
  }

  /** Returns every webhook, ordered by client. */
  async rows(): Promise<WebhookRow[]> {
    const [clients, progress] = await Promise.all([
      ClientDirectory.open({ ...this.#cluster, log: commandLog('webhooks') }).list(),
      readLatest('webhook-progress', this.#cluster),
    ]);
    const keys = findWebhookKeys(process.env);
    return clients.flatMap(({ client_id, name, active, competitions, webhooks: all }) =>
      all.map((webhook) => ({
        id: webhook.id,
        clientId: client_id,
        clientName: name,
        ...hostOf(addressOf(client_id, webhook, keys), keys !== null),
        active,
        progress: progress.get(webhook.id) ?? null,
        competitions: competitions === null ? null : new Set(competitions),
        types: webhook.types === null ? null : new Set(webhook.types),
        max_age_seconds: webhook.max_age_seconds,
        max_delay_seconds: webhook.max_delay_seconds,
      })),
    );
  }

  /** Returns the attempts that ended at or after a time, in that order; `only` is the id of a webhook, null for all. */
  async attempts(since: number, only: string | null): Promise<WebhookAttempt[]> {
    const found: WebhookAttempt[] = [];
    await follow(['webhook-attempts'], this.#cluster, {
      from: await this.#offsetsAt('webhook-attempts', since),
      untilEnd: true,
      onRecord({ value }) {
        if (value !== null && (only === null || value.subscription_id === only)) found.push(value);
      },
    });
    return found.sort((a, b) => a.at - b.at);
  }

  /** Returns the first pending messages of a webhook, partition by partition, and the number of all. */
  async undelivered(
    row: WebhookRow,
    limit: number,
  ): Promise<{ first: readonly WebhookMessage[]; count: number }> {
    const first: WebhookMessage[] = [];
    let count = 0;
    if (row.progress === null) return { first, count };
    await this.#readWanted(row, row.progress.next, (message) => {
      count += 1;
      if (first.length < limit) first.push(message);
    });
    return { first, count };
  }

  /** Returns the number of pending messages of a webhook; 0 before a dispatcher has seen it. */
  async pendingOf(id: string): Promise<number> {
    if (!(await findTopics(this.#cluster)).has('webhook-progress')) return 0;
    const row = (await this.rows()).find((one) => one.id === id);
    return row === undefined ? 0 : (await this.undelivered(row, 0)).count;
  }

  /** Returns the messages for a webhook between two offsets of each partition; skips partitions without both. */
  async between(
    row: WebhookRow,
    from: readonly WebhookOffset[],
    to: readonly WebhookOffset[],
  ): Promise<WebhookMessage[]> {
    const ends = new Map(to.map(({ partition, offset }) => [partition, offset]));
    const found: WebhookMessage[] = [];
    await this.#readWanted(row, from, (message, { partition, offset }) => {
      if (offset < (ends.get(partition) ?? 0)) found.push(message);
    });
    return found;
  }

  /** Returns the offset after a pending message. Throws `CommandError` when it is not pending, or not the first of its partition. */
  async after(row: WebhookRow, uuid: string): Promise<WebhookOffset[]> {
    const ahead = new Map<number, number>();
    let found: (WebhookOffset & { readonly ahead: number }) | null = null;
    await this.#readWanted(row, row.progress?.next ?? [], (message, { partition, offset }) => {
      const before = ahead.get(partition) ?? 0;
      if (message.uuid === uuid) found = { partition, offset: offset + 1, ahead: before };
      ahead.set(partition, before + 1);
    });
    return [requireFirst(found, uuid)];
  }

  /** Returns the first offsets of the messages composed at or after a time. */
  async offsetsAt(time: number): Promise<WebhookOffset[]> {
    const topic = this.#name('webhook-messages');
    return Array.from(await this.#offsetsAt('webhook-messages', time), ([key, offset]) => ({
      partition: Number(key.slice(topic.length + 1)),
      offset,
    }));
  }

  /** Writes an order for a webhook. Rejects with `PublishError`. */
  async order(
    { id, clientId, progress }: WebhookRow,
    kind: Extract<AttemptKind, 'enabled' | 'disabled' | 'resent' | 'skipped'>,
    fields: Partial<WebhookAttempt>,
  ): Promise<void> {
    const epoch = progress?.epoch ?? 1;
    const head = { subscription_id: id, client_id: clientId, kind, epoch, at: Date.now() };
    const entry = { key: id, value: attemptOf(head, fields) };
    await publishValues(this.#cluster, 'webhook-attempts', [entry], { client: 'webhooks' });
  }

  /** Calls `onMessage` with the messages for a webhook, from these offsets on. */
  async #readWanted(
    row: WebhookRow,
    from: readonly WebhookOffset[],
    onMessage: (message: WebhookMessage, at: WebhookOffset) => void,
  ): Promise<void> {
    const topic = this.#name('webhook-messages');
    const starts = from.map(({ partition, offset }) => [partitionKey({ topic, partition }), offset] as const);
    await follow(['webhook-messages'], this.#cluster, {
      from: new Map(starts),
      untilEnd: true,
      onRecord({ value, ...at }) {
        if (value !== null && wants(row, value)) onMessage(value, at);
      },
    });
  }

  #offsetsAt(topic: TopicName, time: number): Promise<Map<string, number>> {
    return offsetsAt({ brokers: this.#cluster.brokers, topic: this.#name(topic), time });
  }

  #name(topic: TopicName): string {
    return topicName(this.#cluster.prefix, topic);
  }
}

function hostOf(address: string | null, hasKeys: boolean): Pick<WebhookRow, 'host' | 'isUnopened'> {
  return { host: URL.parse(address ?? '')?.host ?? null, isUnopened: hasKeys && address === null };
}

function requireFirst(
  found: (WebhookOffset & { readonly ahead: number }) | null,
  uuid: string,
): WebhookOffset {
  if (found === null) throw new CommandError(`message ${escapeLine(uuid)} is not pending`);
  if (found.ahead > 0)
    throw new CommandError(
      `${found.ahead} messages wait before ${escapeLine(uuid)}: they would be skipped too`,
    );
  return { partition: found.partition, offset: found.offset };
}
