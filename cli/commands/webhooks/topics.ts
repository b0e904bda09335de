/** Reads webhooks and messages from their topics, and gives orders on `clients`. */
import { ClientDirectory } from '#clients/directory.ts';
import { type ContentLimits, type SubscriptionFilter, wants, withOrder } from '#clients/webhooks.ts';
import { offsetsAt } from '#cluster/logs.ts';
import type { WebhookMessage, WebhookOffset, WebhookProgress } from '#records/types.ts';
import { partitionKey } from '#streams/client/port.ts';
import { follow, readLatest } from '#topics/follow.ts';
import { topicName } from '#topics/topics.ts';
import { commandLog, findWebhookKeys, type OpenCluster } from '../../cluster.ts';
import { CommandError } from '../../command.ts';
import type { TextCell, TextColumn } from '../../table.ts';
import { escapeLine } from '../../values.ts';
import { addressOf, editClient } from '../clients/clients.ts';

/** A webhook of a client; `progress` is null until a dispatcher has seen the webhook. */
export type WebhookRow = Awaited<ReturnType<typeof readRows>>[number];

async function readRows(directory: ClientDirectory, cluster: OpenCluster) {
  const [clients, progress] = await Promise.all([directory.list(), readLatest('webhook-progress', cluster)]);
  const keys = findWebhookKeys(process.env);
  return clients.flatMap(({ client_id, name, active, competitions, webhooks }) =>
    webhooks.map((webhook) => {
      const address = addressOf(client_id, webhook, keys);
      return {
        ...webhook,
        clientId: client_id,
        clientName: name,
        host: URL.parse(address ?? '')?.host ?? null,
        /** Whether the keys of clients are known and none opens it. */
        isUnopened: keys !== null && address === null,
        active,
        progress: progress.get(webhook.id) ?? null,
        competitions: competitions === null ? null : new Set(competitions),
        types: webhook.types === null ? null : new Set(webhook.types),
      };
    }),
  );
}

type PlacedMessage = WebhookMessage & WebhookOffset;

/** Opens the topics of webhooks. */
export function webhookTopics(cluster: OpenCluster) {
  const { brokers } = cluster;
  const directory = new ClientDirectory('clients', { ...cluster, log: commandLog('webhooks') });
  const topic = topicName(cluster.prefix, 'webhook-messages');

  /** Returns the first messages for a webhook from an offset of each partition on, and the number of all; skips partitions without one. */
  const from = async (
    row: SubscriptionFilter,
    offsets: readonly WebhookOffset[],
    limit = Number.POSITIVE_INFINITY,
  ): Promise<{ first: PlacedMessage[]; count: number }> => {
    const first: PlacedMessage[] = [];
    let count = 0;
    await follow(['webhook-messages'], cluster, {
      from: new Map(offsets.map(({ partition, offset }) => [partitionKey({ topic, partition }), offset])),
      untilEnd: true,
      onRecord({ value, partition, offset }) {
        if (value === null || !wants(row, value)) return;
        count += 1;
        if (first.length < limit) first.push({ ...value, partition, offset });
      },
    });
    return { first, count };
  };
  /** Returns the first pending messages of a webhook, and the number of all; none before a dispatcher has seen it. */
  const pending = async ({ progress, ...row }: WebhookRow, limit?: number) =>
    progress === null ? { first: [], count: 0 } : from(row, progress.next, limit);

  return {
    pending,
    rows: (): Promise<WebhookRow[]> => readRows(directory, cluster),
    /** Returns the messages for a webhook between two offsets of each partition; skips partitions without both. */
    async between(row: SubscriptionFilter, first: readonly WebhookOffset[], to: readonly WebhookOffset[]) {
      const ends = new Map(to.map(({ partition, offset }) => [partition, offset]));
      const found = await from(row, first);
      return found.first.filter(({ partition, offset }) => offset < (ends.get(partition) ?? 0));
    },
    /** Returns the offset after a pending message. Throws `CommandError` when it is not pending, or not the first of its partition. */
    async after(row: WebhookRow, uuid: string): Promise<WebhookOffset[]> {
      const { first: waiting } = await pending(row);
      const found = waiting.find((one) => one.uuid === uuid);
      if (found === undefined) throw new CommandError(`message ${escapeLine(uuid)} is not pending`);
      const { partition, offset } = found;
      const ahead = waiting.filter((one) => one.partition === partition && one.offset < offset).length;
      if (ahead === 0) return [{ partition, offset: offset + 1 }];
      throw new CommandError(`${ahead} messages wait before ${escapeLine(uuid)}: they would be skipped too`);
    },
    async offsetsAt(time: number): Promise<WebhookOffset[]> {
      return Array.from(await offsetsAt({ brokers, topic, time }), ([key, offset]) => ({
        partition: Number(key.slice(topic.length + 1)),
        offset,
      }));
    },
    /** Gives an order, which a dispatcher applies once. Rejects as `ClientDirectory.edit`, and with `CommandError` where too many wait. */
    async order(
      { id, clientId, progress }: Pick<WebhookRow, 'id' | 'clientId' | 'progress'>,
      kind: 'enabled' | 'disabled' | 'resent' | 'skipped',
      next: readonly WebhookOffset[] = [],
    ): Promise<void> {
      await editClient(directory, clientId, (client) => ({
        ...client,
        webhooks: client.webhooks.map((webhook) => {
          if (webhook.id !== id) return webhook;
          const orders = withOrder(webhook.orders, progress?.epoch ?? 0, { kind, next: [...next] });
          if (orders !== null) return { ...webhook, orders };
          throw new CommandError(`too many orders of webhook ${id} wait for a dispatcher: start one`);
        }),
      }));
    },
  };
}

export const ROW_COLUMNS: readonly TextColumn<WebhookRow>[] = [
  { head: 'webhook', of: ({ id }) => id },
  { head: 'client', align: 'right', of: ({ clientId }) => clientId },
  { head: 'name', minWidth: 8, of: ({ clientName }) => clientName },
  { head: 'address', minWidth: 10, of: ({ host }) => host ?? 'sealed' },
  { head: 'state', minWidth: 20, of: stateCell },
  { head: 'delivered', of: ({ progress }) => progress && (timeText(progress.delivered_at) ?? 'nothing yet') },
  { head: 'left out', align: 'right', of: ({ progress }) => progress?.left_out || null },
  { head: 'marked beyond', of: limitWords },
  { head: 'last', minWidth: 10, of: ({ progress }) => (progress === null ? null : lastText(progress)) },
];

export const MESSAGE_COLUMNS: readonly TextColumn<WebhookMessage>[] = [
  { head: 'received', of: ({ received_at }) => timeText(received_at) },
  { head: 'message', of: ({ uuid }) => uuid },
  { head: 'type', of: ({ type }) => type },
  { head: 'competition', align: 'right', of: ({ competition_id }) => competition_id ?? '-' },
  { head: 'bytes', align: 'right', of: ({ message }) => message.length },
];

/** Returns the outcome of the last attempt with its reason, such as `failed CERT_HAS_EXPIRED` or `status 503`. */
export function lastText(of: Pick<WebhookProgress, 'last_outcome' | 'last_reason'>): string | null {
  const { last_outcome: outcome, last_reason: reason } = of;
  return outcome === null || reason === null ? outcome : `${outcome} ${reason}`;
}

/** Returns the limits beyond which deliveries are marked, such as `age 5 s, delay 3 s`; null without any. */
export function limitWords({ max_age_seconds: age, max_delay_seconds: delay }: ContentLimits): string | null {
  const words = [age === null ? '' : `age ${age} s`, delay === null ? '' : `delay ${delay} s`];
  return words.filter(Boolean).join(', ') || null;
}

function stateCell({ active, progress, isUnopened }: WebhookRow): TextCell {
  if (!active) return { text: 'client disabled', style: 'yellow' };
  if (isUnopened) return { text: 'SEALED with another key', style: 'red' };
  if (progress === null) return 'not started';
  const { disabled, attempts, failing_since, next_attempt_at } = progress;
  const since = failing_since === null ? '' : ` since ${timeText(failing_since)}`;
  if (disabled !== null) return { text: `DISABLED: ${disabled}${since}`, style: 'red' };
  if (attempts === 0) return 'delivering';
  const again = next_attempt_at === null ? '' : `, again at ${timeText(next_attempt_at)}`;
  return { text: `FAILING${since}, ${attempts} attempts${again}`, style: 'red' };
}

function timeText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
