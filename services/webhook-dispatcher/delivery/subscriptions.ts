import { type DerivedKeys, SealError } from '#clients/keys.ts';
import { openWebhook, type SubscriptionFilter } from '#clients/webhooks.ts';
import type { Client, WebhookSubscription } from '#records/types.ts';
import type { Logger } from '#streams/log.ts';
import { follow, type OpenTopics } from '#topics/follow.ts';

/** A webhook of a client. Never log its address or its secret. */
export type Subscription = Omit<WebhookSubscription, 'types'> &
  SubscriptionFilter & {
    readonly clientId: number;
    readonly url: string;
    readonly secret: string;
    /** False if the client is disabled: nothing is sent, and nothing is skipped. */
    readonly active: boolean;
    /** Whether no key opens it, of an enabled client: it has neither address nor secret, and nothing is sent. */
    readonly isSealed: boolean;
  };

type SubscriptionsOptions = {
  readonly keys: DerivedKeys;
  readonly log: Logger;
};

/** The current subscriptions of all clients. Opens a client's last record alone: earlier ones may have a key that is gone. */
export class WebhookSubscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #clients = new Map<number, Client>();
  readonly #opened = new WeakMap<Client, readonly Subscription[]>();
  /** Whether all clients have been read once: a subscription that is still unknown does not exist. */
  known = false;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** Returns the subscriptions of all clients; none before these are known. */
  all(): Subscription[] {
    return this.known
      ? this.#clients
          .values()
          .flatMap((client) => this.#of(client))
          .toArray()
      : [];
  }

  /** Follows the clients until `signal` is aborted, and calls `onChange` after each change. Rejects as `follow` does. */
  async follow(source: OpenTopics, signal: AbortSignal, onChange: () => void): Promise<void> {
    await follow(['clients'], source, {
      reader: 'touchline-webhook-dispatcher',
      signal,
      onBatch: ({ records }) => {
        for (const { key, value } of records) this.apply(Number(key), value);
        if (this.known) onChange();
      },
      onCaughtUp: () => {
        this.known = true;
        onChange();
      },
    });
  }

  /** Applies a record, null for a deleted client. */
  apply(clientId: number, client: Client | null): void {
    if (client === null) this.#clients.delete(clientId);
    else this.#clients.set(clientId, client);
  }

  #of(client: Client): readonly Subscription[] {
    const opened = this.#opened.get(client) ?? client.webhooks.map((webhook) => this.#open(client, webhook));
    this.#opened.set(client, opened);
    return opened;
  }

  #open({ client_id: clientId, active, competitions }: Client, webhook: WebhookSubscription): Subscription {
    const { keys, log } = this.#options;
    const known = {
      ...webhook,
      clientId,
      competitions: competitions === null ? null : new Set(competitions),
      types: webhook.types === null ? null : new Set(webhook.types),
    };
    try {
      return { ...known, ...openWebhook(clientId, webhook, keys), active, isSealed: false };
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      log.error(
        { client: clientId, subscription: webhook.id, code: error.code },
        'a webhook cannot be opened: it was sealed with another CLIENTS_KEY',
      );
      // Not removed: with the right key its delivery continues at the same offset.
      return { ...known, url: '', secret: '', active: false, isSealed: active };
    }
  }
}
