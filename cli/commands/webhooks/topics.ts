/** Reads webhooks and messages from their topics, and gives orders on `clients`. */
import { ClientDirectory } from '#clients/directory.ts';
import { wants, withOrder } from '#clients/webhooks.ts';
import { offsetsAt } from '#cluster/logs.ts';
import type { WebhookMessage, WebhookOffset } from '#records/types.ts';
import { partitionKey } from '#streams/client/port.ts';
import { findTopics } from '#topics/admin.ts';
import { follow, readLatest } from '#topics/follow.ts';
import { topicName } from '#topics/topics.ts';
import { commandLog, findWebhookKeys, type OpenCluster } from '../../cluster.ts';
import { CommandError } from '../../command.ts';
import { escapeLine } from '../../values.ts';
import { addressOf, editClient } from '../clients/client.ts';
import type { WebhookRow } from './lines.ts';

export class WebhookTopics {
  readonly #cluster: OpenCluster;
  readonly #clients: ClientDirectory;

  constructor(cluster: OpenCluster) {
    this.#cluster = cluster;
    this.#clients = ClientDirectory.open({ ...cluster, log: commandLog('webhooks') });
  }

  /** Returns every webhook, ordered by client. */
  async rows(): Promise<WebhookRow[]> {
    const [clients, progress] = await Promise.all([
      this.#clients.list(),
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
    const topic = topicName(this.#cluster.prefix, 'webhook-messages');
    const { brokers } = this.#cluster;
    return Array.from(await offsetsAt({ brokers, topic, time }), ([key, offset]) => ({
      partition: Number(key.slice(topic.length + 1)),
      offset,
    }));
  }

  /** Gives an order, which a dispatcher applies once. Rejects as `ClientDirectory.edit`, and with `CommandError` where too many wait. */
  async order(
    { id, clientId, progress }: WebhookRow,
    kind: 'enabled' | 'disabled' | 'resent' | 'skipped',
    next: readonly WebhookOffset[] = [],
  ): Promise<void> {
    await editClient(this.#clients, clientId, (client) => ({
      ...client,
      webhooks: client.webhooks.map((webhook) => {
        if (webhook.id !== id) return webhook;
        const orders = withOrder(webhook.orders, progress?.epoch ?? 0, { kind, next: [...next] });
        if (orders !== null) return { ...webhook, orders };
        throw new CommandError(`too many orders of webhook ${id} wait for a dispatcher: start one`);
      }),
    }));
  }

  /** Calls `onMessage` with the messages for a webhook, from these offsets on. */
  async #readWanted(
    row: WebhookRow,
    from: readonly WebhookOffset[],
    onMessage: (message: WebhookMessage, at: WebhookOffset) => void,
  ): Promise<void> {
    const topic = topicName(this.#cluster.prefix, 'webhook-messages');
    const starts = from.map(({ partition, offset }) => [partitionKey({ topic, partition }), offset] as const);
    await follow(['webhook-messages'], this.#cluster, {
      from: new Map(starts),
      untilEnd: true,
      onRecord({ value, ...at }) {
        if (value !== null && wants(row, value)) onMessage(value, at);
      },
    });
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
