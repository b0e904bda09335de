import { hash } from 'node:crypto';
import { toWholeNumber } from '#contract/values.ts';
import { randomBackoffMs } from '#timing/backoff.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { type FeedAnswer, itemBytes, ProviderError } from '../provider/answer.ts';
import { readPages, type WholeList } from '../provider/paging.ts';
import type { ProviderClient } from '../provider/provider.ts';
import { idOf, type Raw, readTree } from '../provider/tree.ts';
import type { EventPublisher } from '../publish/events.ts';
import { readSnapshot } from '../publish/messages.ts';
import type { TopicWriter } from '../publish/topic-writer.ts';
import type { RepeatContext } from '../schedule/repeat.ts';
import { isYes, type MatchWatch } from './watch.ts';

/** Page size of incidents: most matches fit into one page. */
const PAGE = 500;

/** Prefix of the resource of a finished event's checkpoint. */
export const FINISHED = 'finished/';

/** Labels of events in metrics. */
const EVENT = { resource: 'event' } as const;

export type ReconcilerOptions = {
  readonly provider: Pick<ProviderClient, 'get'>;
  readonly watch: MatchWatch;
  readonly eventPublisher: EventPublisher;
  readonly catalogue: Catalogue;
  readonly topicWriter: Pick<TopicWriter, 'deliver' | 'checkpoint'>;
  readonly context: RepeatContext;
};

type Incident = {
  readonly id: string;
  readonly ut: number | null;
  readonly confirmation: unknown;
  readonly bytes: Buffer;
};

/** Checks events: reads each with its whole incident list, and publishes both with the time of the answer. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  /** Events that the provider refuses (403), with the contract's number of changes at the refusal. */
  readonly #refused = new Map<number, number>();
  /** Hash of the unreadable list by event, so that the same list becomes a dead letter only once. */
  readonly #unreadable = new Map<number, string>();
  /** One timer for all loops that wait for a due event; null while none waits. */
  #pause: Promise<void> | null = null;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Checks due events one at a time until `signal` is aborted. Any number of these loops may run at once. */
  async run(pauseMs: number, signal: AbortSignal): Promise<void> {
    const { watch, context } = this.#options;
    while (!signal.aborted) {
      const id = watch.claim(context.clock.monotonic());
      if (id === null) await this.#sleep(pauseMs, signal);
      else await this.#checkClaimed(id, signal);
    }
  }

  #sleep(pauseMs: number, signal: AbortSignal): Promise<void> {
    this.#pause ??= this.#options.context.clock.sleep(pauseMs, signal).finally(() => {
      this.#pause = null;
    });
    return this.#pause;
  }

  /** Checks one event. Throws `ProviderError`, `PublishError`. */
  async check(id: number, signal: AbortSignal): Promise<void> {
    const { provider, watch, eventPublisher, catalogue, topicWriter, context } = this.#options;
    const shown = await provider.get({ operation: 'events.show', id, query: {} }, signal);
    const tree = readTree(shown.data);
    const event = tree.events.find((record) => idOf(record) === String(id));
    if (event === undefined)
      throw new ProviderError('BAD_ANSWER', 'events.show', 'the event is not in the answer');
    const settled = watch.isSettled(event, shown.timestamp);
    await catalogue.publish(tree.entries, shown.timestamp);
    await eventPublisher.publish([event], {
      source: 'show',
      time: shown.timestamp,
      final: event.status_type === 'finished',
    });
    // The list is read after the event, so that a verified event gets its final list. When the provider reports only the
    // result of an event, its list is no timeline: as a snapshot it would remove every goal.
    const list = isYes(event.ft_only) ? null : await this.#readIncidents(id, signal);
    const readable = list === null || (await this.#publish(id, list));
    const now = context.clock.monotonic();
    watch.onEvent(event, shown.timestamp, now);
    if (!readable && !watch.hasExpired(event, shown.timestamp)) {
      watch.unreadable(id, now);
      return;
    }
    const unconfirmed = (list?.items ?? [])
      .filter(({ confirmation }) => confirmation === 'tbd')
      .map((one) => one.id);
    const listed = new Map(list?.items.map((one) => [one.id, one.ut]));
    const isFinal = watch.checked(id, { snapshotAt: list?.timestamp ?? null, listed, unconfirmed, now });
    if (!settled || !isFinal) return;
    const position = list?.timestamp ?? shown.timestamp;
    await topicWriter.checkpoint(`${FINISHED}${id}`, position);
    watch.verified(id, position);
  }

  /** Publishes a list, or a dead letter when it is unreadable. Returns whether it is readable. */
  async #publish(id: number, { timestamp, items }: WholeList<Incident>): Promise<boolean> {
    const { topicWriter, context } = this.#options;
    const incidents = items.map(({ bytes }) => bytes);
    const delivery = readSnapshot({ eventId: id, time: timestamp, incidents }, context.clock.unix());
    const readable = delivery.deadLetters.length === 0;
    if (readable) this.#unreadable.delete(id);
    else {
      const digest = hash('sha1', Buffer.concat(incidents), 'base64');
      if (this.#unreadable.get(id) === digest) return false;
      this.#unreadable.set(id, digest);
    }
    await topicWriter.deliver(delivery);
    return readable;
  }

  #readIncidents(id: number, signal: AbortSignal) {
    const request = { operation: 'events.incidents', id, query: { deleted: 'no', limit: PAGE } } as const;
    const paging = { absenceCounts: true, idOf: (incident: Incident) => incident.id, itemsOf: incidentsOf };
    return readPages(this.#options.provider, request, paging, signal);
  }

  /** Checks a claimed event. A failed check makes it due later; a missing event is dropped. */
  async #checkClaimed(id: number, signal: AbortSignal): Promise<void> {
    const { watch, context } = this.#options;
    const { clock, backoff, contract, metrics, log } = context;
    const { changes } = contract;
    if (this.#refused.get(id) === changes) {
      watch.failed(id, clock.monotonic(), () => backoff.ceilingMs);
      return;
    }
    if (this.#refused.delete(id)) metrics.stopped.dec(EVENT);
    try {
      await this.check(id, signal);
    } catch (error) {
      if (signal.aborted) return;
      const now = clock.monotonic();
      if (!(error instanceof ProviderError)) throw error;
      const { code, published, message } = error;
      if (code === 'NOT_FOUND' || code === 'STOPPED') watch.drop(id);
      else if (code === 'FORBIDDEN') {
        this.#refused.set(id, changes);
        metrics.stopped.inc(EVENT);
        log.error(
          { resource: `event/${id}`, code },
          'outside the contract, not checked until the contract changes',
        );
        watch.failed(id, now, () => backoff.ceilingMs);
      } else {
        metrics.retries.inc({ ...EVENT, code: published });
        log.debug({ resource: `event/${id}`, code, detail: message }, 'a check failed, it is retried');
        watch.failed(id, now, (failures) => Math.max(backoff.firstMs, randomBackoffMs(backoff, failures)));
      }
    }
  }
}

function incidentsOf(answer: FeedAnswer): Incident[] {
  const { data } = answer;
  if (!Array.isArray(data)) {
    throw new ProviderError('BAD_ANSWER', 'events.incidents', 'the incidents are not a list');
  }
  const bytes = itemBytes(answer);
  // Items that are no records are kept: normalizing then sends the whole list to dead letters.
  return bytes.map((one, at) => {
    const record = data[at] as Raw | null;
    const ut = toWholeNumber(record?.ut);
    return { id: String(record?.id ?? one), ut, confirmation: record?.confirmation, bytes: one };
  });
}
