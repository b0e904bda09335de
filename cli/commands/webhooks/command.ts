/** `touchline webhooks`: state of the deliveries to clients, and orders of operators. */

import { ClientDirectory } from '#clients/directory.ts';
import type { DerivedKeys } from '#clients/keys.ts';
import { SealError } from '#clients/sealing.ts';
import { openWebhook } from '#clients/webhooks.ts';
import { partitionKey } from '#streams/client/port.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { follow, offsetsAt } from '#streams/read/follow.ts';
import { readTopic } from '#streams/read/read-topic.ts';
import type {
  WebhookAttempt,
  WebhookMessage,
  WebhookOffset,
  WebhookProgress,
  WebhookSubscription,
} from '#topics/generated/types.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, type TopicValues, topicName } from '#topics/topics.ts';
import { type AttemptKind, attemptOf } from '#webhooks/progress.ts';
import { wants } from '#webhooks/wants.ts';
import { type Command, CommandError } from '../../command.ts';
import {
  commandLog,
  directoryPlace,
  findPlace,
  findWebhookKeys,
  type Place,
  requireTopic,
} from '../../place.ts';
import { jsonText, lineShown } from '../../values.ts';
import { parseWebhooks, type WebhooksRequest } from './arguments.ts';
import { attemptLine, messageLine, type Row, rowLine } from './lines.ts';

const HELP = `Usage: touchline webhooks list [--json]
       touchline webhooks attempts [<id>] [--since <time>] [--limit 50] [--json]
       touchline webhooks undelivered <id> [--limit 50] [--json]
       touchline webhooks resend <id> --from <time>
       touchline webhooks skip <id> --before <time> | --message <uuid> [--yes]
       touchline webhooks enable <id> | disable <id>

How the webhooks of clients are delivered (touchline clients webhook makes them). An id may be cut short while it is
unambiguous; a time is as 2026-11-20T18:00:00Z, or as 2h for two hours ago.

  list         every webhook, with the client's name and, where the key of clients is at hand, its host: delivering, failing or disabled, since when, and when it is tried again
  attempts     the latest attempts and what was decided, of one webhook or of all, since a time (default: a day ago)
  undelivered  the first messages that a webhook was not sent yet, and how many there are
  resend       sends everything again that was composed since a time, at most seven days back, under the same ids, and
               what waits; a webhook that is disabled is enabled by it
  skip         gives up what waits and was composed before a time, or one message that the receiver cannot take: it is
               never sent. Shows how many these are; with --yes it does so. resend sends them after all
  enable       resumes at its last position, at once
  disable      sends nothing more; messages until it is enabled are sent then, unless they expire first

A running dispatcher applies an order at once, else the next one that starts. The broker is that of KAFKA_BROKERS and
SCHEMA_REGISTRY_URL, else the one that touchline up or demo runs here.
`;

/** Shows and controls the deliveries to clients. */
export const webhooks: Command = {
  name: 'webhooks',
  summary: 'shows how webhooks are delivered, sends again, enables and disables them',
  help: HELP,
  async run(args) {
    const request = parseWebhooks(args, Date.now());
    const place = findPlace(process.env);
    await requireTopic(place, 'webhook-progress');
    await perform(new Topics(place), request);
    return 0;
  },
};

async function perform(topics: Topics, request: WebhooksRequest): Promise<void> {
  const rows = await topics.rows();
  switch (request.action) {
    case 'list':
      for (const row of rows) say(request.json ? jsonText(shown(row)) : rowLine(row));
      if (rows.length === 0 && !request.json) process.stderr.write('there are no webhooks\n');
      return;
    case 'attempts': {
      // A removed webhook still has attempts, under its whole id.
      const only = oneOf(rows, request.id)?.id ?? request.id;
      const attempts = await topics.attempts(request.since, only ?? null);
      for (const attempt of attempts.slice(-request.limit))
        say(request.json ? jsonText(attempt) : attemptLine(attempt));
      return;
    }
    case 'undelivered': {
      const { first, count } = await topics.undelivered(find(rows, request.id), request.limit);
      for (const message of first) say(request.json ? message.message.toString() : messageLine(message));
      if (!request.json) process.stderr.write(`${count} messages are not delivered\n`);
      return;
    }
    case 'resend': {
      const { row, progress } = started(find(rows, request.id));
      const next = await topics.offsetsAt(request.from);
      const again = await topics.between(row, next, progress.next);
      await topics.order(row, 'resent', { next });
      say(
        `webhook ${row.id} is sent ${again.length} messages again, since ${new Date(request.from).toISOString()}, and what waits`,
      );
      return;
    }
    case 'skip': {
      const { row, progress } = started(find(rows, request.id));
      const next =
        'before' in request.what
          ? await topics.offsetsAt(request.what.before)
          : await topics.after(row, request.what.message);
      const skipped = await topics.between(row, progress.next, next);
      for (const message of skipped.slice(0, SHOWN)) say(messageLine(message));
      if (!request.yes) throw new CommandError(`${skipped.length} messages would never be sent: say --yes`);
      await topics.order(row, 'skipped', { next, messages: skipped.length });
      say(`webhook ${row.id} is not sent ${skipped.length} messages`);
      return;
    }
    default: {
      const { row } = started(find(rows, request.id));
      if (request.action === 'enable') await topics.order(row, 'enabled', {});
      else await topics.order(row, 'disabled', { reason: 'operator' });
      say(`webhook ${row.id} is ${request.action}d`);
    }
  }
}

/** Webhook state of the topics. */
class Topics {
  readonly #place: Place;
  readonly #registry: Registry;

  constructor(place: Place) {
    this.#place = place;
    this.#registry = Registry.open({ url: place.SCHEMA_REGISTRY_URL, prefix: place.TOPIC_PREFIX });
  }

  /** Every webhook of every client, by client. */
  async rows(): Promise<Row[]> {
    const progress = new Map<string, WebhookProgress>();
    const [clients] = await Promise.all([
      ClientDirectory.open(directoryPlace(this.#place, 'webhooks')).list(),
      this.#read('webhook-progress', (key, value) => {
        if (value === null) progress.delete(key);
        else progress.set(key, value);
      }),
    ]);
    const keys = findWebhookKeys(process.env);
    return clients.flatMap(({ client_id, name, active, competitions, webhooks: all }) =>
      all.map((webhook) => ({
        id: webhook.id,
        clientId: client_id,
        clientName: name,
        host: keys === null ? null : hostOf(client_id, webhook, keys),
        active,
        progress: progress.get(webhook.id) ?? null,
        competitions: competitions === null ? null : new Set(competitions),
        types: webhook.types === null ? null : new Set(webhook.types),
      })),
    );
  }

  /** Attempts that ended at or after a time, in that order. */
  async attempts(since: number, only: string | null): Promise<WebhookAttempt[]> {
    const found: WebhookAttempt[] = [];
    await this.#readFrom('webhook-attempts', await this.#offsetsAt('webhook-attempts', since), (attempt) => {
      if (only === null || attempt.subscription_id === only) found.push(attempt);
    });
    return found.sort((a, b) => a.at - b.at);
  }

  /** The first messages that a webhook is still to be sent, by partition, and how many there are in all. */
  async undelivered(row: Row, limit: number): Promise<{ first: readonly WebhookMessage[]; count: number }> {
    const first: WebhookMessage[] = [];
    let count = 0;
    if (row.progress === null) return { first, count };
    const topic = this.#name('webhook-messages');
    const from = new Map(
      row.progress.next.map(({ partition, offset }) => [partitionKey({ topic, partition }), offset]),
    );
    await this.#readFrom('webhook-messages', from, (message) => {
      if (!wants(row, message)) return;
      count += 1;
      if (first.length < limit) first.push(message);
    });
    return { first, count };
  }

  /** What a webhook is sent of the messages between two offsets of each partition that both have. */
  async between(
    row: Row,
    from: readonly WebhookOffset[],
    to: readonly WebhookOffset[],
  ): Promise<WebhookMessage[]> {
    const topic = this.#name('webhook-messages');
    const ends = new Map(to.map(({ partition, offset }) => [partition, offset]));
    const starts = from.map(({ partition, offset }) => [partitionKey({ topic, partition }), offset] as const);
    const found: WebhookMessage[] = [];
    await this.#readFrom('webhook-messages', new Map(starts), (message, { partition, offset }) => {
      if (offset < (ends.get(partition) ?? 0) && wants(row, message)) found.push(message);
    });
    return found;
  }

  /**
   * The offset after a message that waits. Throws `CommandError` where it does not wait, or others of its partition wait
   * before it.
   */
  async after(row: Row, uuid: string): Promise<WebhookOffset[]> {
    const topic = this.#name('webhook-messages');
    const waiting = (row.progress?.next ?? []).map(
      ({ partition, offset }) => [partitionKey({ topic, partition }), offset] as const,
    );
    const ahead = new Map<number, number>();
    let found: (WebhookOffset & { readonly ahead: number }) | null = null;
    await this.#readFrom('webhook-messages', new Map(waiting), (message, { partition, offset }) => {
      if (!wants(row, message)) return;
      const before = ahead.get(partition) ?? 0;
      if (message.uuid === uuid) found = { partition, offset: offset + 1, ahead: before };
      ahead.set(partition, before + 1);
    });
    return [requireFirst(found, uuid)];
  }

  /** Where messages begin that were composed at or after a time. */
  async offsetsAt(time: number): Promise<WebhookOffset[]> {
    const topic = this.#name('webhook-messages');
    return Array.from(await this.#offsetsAt('webhook-messages', time), ([key, offset]) => ({
      partition: Number(key.slice(topic.length + 1)),
      offset,
    }));
  }

  /** Writes an order for a webhook. Throws `PublishError`. */
  async order(
    { id, clientId, progress }: Row,
    kind: Extract<AttemptKind, 'enabled' | 'disabled' | 'resent' | 'skipped'>,
    fields: Partial<WebhookAttempt>,
  ): Promise<void> {
    const codec = await this.#registry.codec('webhook-attempts');
    const publisher = await openPublisher({
      brokers: this.#place.KAFKA_BROKERS,
      clientId: 'touchline-webhooks',
      log: commandLog('webhooks'),
    });
    const epoch = progress?.epoch ?? 1;
    const head = { subscription_id: id, client_id: clientId, kind, epoch, at: Date.now() };
    const value = codec.encode(attemptOf(head, fields));
    await publisher.publish([{ topic: this.#name('webhook-attempts'), key: id, value }]);
    await publisher.close();
  }

  async #read<T extends TopicName>(
    topic: T,
    onValue: (key: string, value: TopicValues[T] | null) => void,
  ): Promise<void> {
    const decoder = this.#registry.decoder(topic);
    await readTopic({
      ...{
        brokers: this.#place.KAFKA_BROKERS,
        topic: this.#name(topic),
        fromBeginning: true,
        untilEnd: true,
      },
      onRecord: async ({ key, value }) =>
        onValue(key?.toString() ?? '', value === null ? null : await decoder.decode(value)),
    });
  }

  async #readFrom<T extends TopicName>(
    topic: T,
    from: ReadonlyMap<string, number>,
    onValue: (value: TopicValues[T], at: WebhookOffset) => void,
  ): Promise<void> {
    const decoder = this.#registry.decoder(topic);
    const atEnd = new AbortController();
    await follow({
      ...{ brokers: this.#place.KAFKA_BROKERS, topics: [this.#name(topic)], from, signal: atEnd.signal },
      onBatch: async ({ records }) => {
        for (const { value, partition, offset } of records)
          if (value !== null) onValue(await decoder.decode(value), { partition, offset });
      },
      onCaughtUp: () => atEnd.abort(),
    });
  }

  #offsetsAt(topic: TopicName, time: number): Promise<Map<string, number>> {
    return offsetsAt({ brokers: this.#place.KAFKA_BROKERS, topic: this.#name(topic), time });
  }

  #name(topic: TopicName): string {
    return topicName(this.#place.TOPIC_PREFIX, topic);
  }
}

/** The host of a webhook's address; null where no key opens it. */
function hostOf(clientId: number, webhook: WebhookSubscription, keys: DerivedKeys): string | null {
  try {
    return new URL(openWebhook(clientId, webhook, keys).url).host;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** How many messages of an order are shown. */
const SHOWN = 20;

function requireFirst(
  found: (WebhookOffset & { readonly ahead: number }) | null,
  uuid: string,
): WebhookOffset {
  if (found === null) throw new CommandError(`no message ${lineShown(uuid)} waits`);
  if (found.ahead > 0)
    throw new CommandError(
      `${found.ahead} messages wait before ${lineShown(uuid)}: they would be skipped too`,
    );
  return { partition: found.partition, offset: found.offset };
}

/** Throws `CommandError` for a webhook without a position. */
function started(row: Row): { row: Row; progress: WebhookProgress } {
  if (row.progress === null) throw new CommandError(`webhook ${row.id} is not known to a dispatcher yet`);
  return { row, progress: row.progress };
}

function find(rows: readonly Row[], id: string): Row {
  const row = oneOf(rows, id);
  if (row === undefined) throw new CommandError(`there is no webhook ${lineShown(id)}`);
  return row;
}

/** The one whose id begins so. Throws `CommandError` for several. */
function oneOf(rows: readonly Row[], id: string | undefined): Row | undefined {
  const found = id === undefined ? [] : rows.filter((row) => row.id.startsWith(id));
  if (found.length > 1) throw new CommandError(`${found.length} webhooks begin with ${lineShown(id ?? '')}`);
  return found[0];
}

function shown({ id, clientId, clientName, host, active, progress }: Row): object {
  return {
    ...progress,
    subscription_id: id,
    client_id: clientId,
    client_name: clientName,
    client_active: active,
    host,
  };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
