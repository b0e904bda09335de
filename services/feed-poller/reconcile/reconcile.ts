import { hash } from 'node:crypto';
import { isGoal } from '#domain/goals.ts';
import { hasRulesOfGoals } from '#domain/sports/goal-rules.ts';
import { toWholeNumber } from '#json/values.ts';
import type { Incident, NormalizedMessage } from '#records/types.ts';
import { RESULT } from '#soccer/soccer.ts';
import { randomBackoffMs } from '#timing/retry.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { ProviderError } from '../provider/answer.ts';
import type { ProviderClient } from '../provider/provider.ts';
import { idOf, type Raw, readTree } from '../provider/tree.ts';
import type { EventPublisher } from '../publish/events.ts';
import { readAbsence, readSnapshot } from '../publish/messages.ts';
import type { TopicWriter } from '../publish/topic-writer.ts';
import { REFUSED_MS, type RepeatContext } from '../schedule/repeat.ts';
import { type IncidentList, readIncidentList } from './incident-lists.ts';
import type { MissingEvents } from './missing-events.ts';
import { isYes, type MatchWatch } from './watch.ts';

/** Prefix of the resource of a finished event's checkpoint. */
export const FINISHED = 'finished/';

/** Prefix of the resource of a missing event's checkpoint: the provider's time of its absence. */
export const MISSING = 'missing/';

export type ReconcilerOptions = {
  readonly provider: Pick<ProviderClient, 'get' | 'time'>;
  readonly watch: MatchWatch;
  readonly missing: MissingEvents;
  readonly eventPublisher: EventPublisher;
  readonly catalogue: Catalogue;
  readonly topicWriter: Pick<TopicWriter, 'deliver' | 'checkpoint' | 'forget'>;
  readonly context: RepeatContext;
};

const HELD =
  'too many events are missing at once, none is deleted: check the contract with the provider; to end a match, run npx touchline end <event id> --reason <text>';

/** Checks events: reads each with its whole incident list, and publishes both with the time of the answer. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  /** Hash of the unreadable list by event, so that the same list becomes a dead letter only once. */
  readonly #unreadable = new Map<number, string>();
  /** Whether the last event that was not found is held: one log line for all. */
  #isHeld = false;
  /** One timer for all loops that wait for a due event; null while none waits. */
  #pause: Promise<void> | null = null;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Checks due events one at a time until `signal` is aborted. Any number of these loops may run at once. */
  async run(pauseMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.context;
    while (!signal.aborted) {
      const id = this.#options.watch.claim(clock.monotonic());
      if (id !== null) {
        await this.#checkClaimed(id, signal);
        continue;
      }
      this.#pause ??= clock.sleep(pauseMs, signal).finally(() => {
        this.#pause = null;
      });
      await this.#pause;
    }
  }

  /** Checks one event. Throws `ProviderError`, `PublishError`. */
  async check(id: number, signal: AbortSignal): Promise<void> {
    const { provider, watch, missing, eventPublisher, catalogue, topicWriter, context } = this.#options;
    const shown = await provider.get({ operation: 'events.show', id, query: {} }, signal);
    const tree = readTree(shown.data);
    const event = tree.events.find((record) => idOf(record) === String(id));
    if (event === undefined)
      throw new ProviderError('BAD_ANSWER', 'events.show', 'the event is not in the answer');
    const settled = watch.isSettled(event, shown.timestamp);
    await catalogue.publish(tree.entries, shown.timestamp);
    const absentAt = missing.publishedUt(id);
    await eventPublisher.publish([event], {
      operation: 'events.show',
      time: shown.timestamp,
      final: event.status_type === 'finished',
      absentAt,
    });
    if (absentAt !== null) {
      await topicWriter.forget(`${MISSING}${id}`);
      context.log.info({ event_id: id }, 'the provider has the event again');
    }
    missing.found(id);
    // It was watched for no other reason than that it may be missing.
    if (watch.get(id)?.state === 'unlisted') {
      watch.drop(id);
      watch.onEvent(event, shown.timestamp, context.clock.monotonic());
      return;
    }
    // The list is read after the event, so that a verified event gets its final list. When the provider reports only the
    // result of an event, its list is no timeline.
    const list = isYes(event.ft_only) ? null : await this.#readIncidents(event, id, signal);
    const snapshot = list === null ? null : await this.#publish(id, list);
    const now = context.clock.monotonic();
    watch.onEvent(event, shown.timestamp, now);
    // An empty list of an event of which nothing else is known is no refusal.
    const isUnread = list !== null && snapshot === null;
    const unreadable = isUnread && list.items.length > 0 ? 'unreadable' : null;
    const refusal = isUnread ? (list.refusal ?? unreadable) : null;
    const isGivenUp = refusal === 'empty' ? settled : watch.hasExpired(event, shown.timestamp);
    if (refusal !== null && !isGivenUp) {
      if (watch.refused(id, { event_id: id, reason: refusal, since: context.clock.unix() }, now))
        context.log.warn(
          { event_id: id, reason: refusal },
          'the incident list is not plausible, it changes nothing',
        );
      return;
    }
    const present = snapshot?.snapshot ?? [];
    const isFinal = watch.checked(id, {
      snapshotAt: snapshot?.ut ?? null,
      listed: new Map(present.map((incident) => [incident.id, incident.ut])),
      unconfirmed: present.filter(({ confirmation }) => confirmation === 'tbd').map((one) => one.id),
      contradicted: reportedGoals(event) > listedGoals(present),
      now,
    });
    if (!settled || !isFinal) return;
    const position = list?.timestamp ?? shown.timestamp;
    await topicWriter.checkpoint(`${FINISHED}${id}`, position);
    watch.verified(id, position);
  }

  #readIncidents(event: Raw, id: number, signal: AbortSignal): Promise<IncidentList> {
    const { provider, watch } = this.#options;
    const known = {
      publishedAt: watch.get(id)?.publishedAt ?? null,
      omittedBy: (listed: ReadonlySet<string>, at: number) =>
        watch.get(id)?.known.omittedBy(listed, at) ?? [],
      hasGoals: reportedGoals(event) > 0,
    };
    return readIncidentList(provider, id, known, signal);
  }

  /** Publishes a list with incidents or deletions, or a dead letter. Returns the snapshot if it counts: an empty one is no evidence (law 3). */
  async #publish(
    id: number,
    { timestamp, items, deleted, refusal }: IncidentList,
  ): Promise<NormalizedMessage | null> {
    const { topicWriter, watch, context } = this.#options;
    const isSilent = items.length === 0 && deleted.length === 0;
    if (timestamp === null || refusal === 'older' || isSilent) return null;
    const plain = { eventId: id, time: timestamp, incidents: items.map(({ bytes }) => bytes) };
    const gone = deleted.map(({ bytes }) => bytes);
    const whole = readSnapshot({ ...plain, deleted: gone }, context.clock.unix());
    // The plain list counts, whatever the other one has.
    const delivery = whole.deadLetters.length === 0 ? whole : readSnapshot(plain, context.clock.unix());
    const readable = delivery.deadLetters.length === 0;
    if (readable) this.#unreadable.delete(id);
    else {
      const digest = hash('sha1', Buffer.concat(plain.incidents), 'base64');
      if (this.#unreadable.get(id) === digest) return null;
      this.#unreadable.set(id, digest);
    }
    await topicWriter.deliver(delivery);
    const [message] = delivery.normalized;
    if (!readable || message === undefined) return null;
    for (const deleted of message.deleted) watch.get(id)?.known.remove(deleted.id, deleted.ut);
    return refusal === null ? message : null;
  }

  /** Ends a check of an event that `/v2/events/{id}` does not have. Publishes that it is missing as far as that is proven. */
  async #onNotFound(id: number, signal: AbortSignal): Promise<void> {
    const { provider, watch, missing, topicWriter, context } = this.#options;
    const { clock, log } = context;
    const look = missing.look(id, clock.monotonic());
    if (look === 'held' && !this.#isHeld) log.error({ event_id: id }, HELD);
    this.#isHeld = look === 'held';
    if (look === 'nothing' || look === 'held' || !(await this.#answersForOthers(signal))) {
      watch.absent(id, clock.monotonic());
      return;
    }
    const ut = await provider.time();
    await topicWriter.checkpoint(`${MISSING}${id}`, ut);
    await topicWriter.deliver(readAbsence(id, ut, look === 'deleted', clock.unix()));
    missing.published(id, look, ut, clock.monotonic());
    log.warn({ event_id: id, look }, 'the provider no longer has the event, and no list has it');
    if (look === 'deleted') watch.drop(id);
    else watch.absent(id, clock.monotonic());
  }

  /** Whether the provider answers for an event that it lists: else its 404 is of its interface and not of an event. */
  async #answersForOthers(signal: AbortSignal): Promise<boolean> {
    const id = this.#options.missing.control();
    if (id === null) return false;
    try {
      await this.#options.provider.get({ operation: 'events.show', id, query: {} }, signal);
      return true;
    } catch (error) {
      if (error instanceof ProviderError && error.code !== 'STOPPED') return false;
      throw error;
    }
  }

  /** Checks a claimed event. A failed check makes it due later; a missing event is dropped. */
  async #checkClaimed(id: number, signal: AbortSignal): Promise<void> {
    const { watch, context } = this.#options;
    const { clock, backoff, contract, metrics, log } = context;
    const resource = `event/${id}`;
    try {
      await this.check(id, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ProviderError)) throw error;
      const { code, published, message } = error;
      if (code === 'FORBIDDEN') {
        contract.refuse(resource);
        watch.failed(id, clock.monotonic(), () => REFUSED_MS);
        return;
      }
      if (code === 'STOPPED') watch.drop(id);
      else if (code === 'NOT_FOUND') await this.#onNotFound(id, signal);
      else {
        metrics.retries.inc({ resource: 'event', code: published });
        log.debug({ resource, code, detail: message }, 'a check failed, it is retried');
        const waitMs = (failures: number) => Math.max(backoff.firstMs, randomBackoffMs(backoff, failures));
        watch.failed(id, clock.monotonic(), waitMs);
      }
    }
    contract.admit(resource);
  }
}

/** Returns the goals of an event by its result; 0 where unknown, and in a sport without rules of goals. */
export function reportedGoals({ participants, sport_id }: Raw): number {
  if (!hasRulesOfGoals(toWholeNumber(sport_id))) return 0;
  let goals = 0;
  for (const side of records(participants))
    for (const { id, value } of records(side.results))
      if (toWholeNumber(id) === RESULT.score) goals += toWholeNumber(value) ?? 0;
  return goals;
}

/** Returns the number of goals of a list that are not cancelled. */
function listedGoals(incidents: readonly Incident[]): number {
  return incidents.filter((one) => isGoal(one) && one.confirmation !== 'cancelled').length;
}

function records(list: unknown): Raw[] {
  return Object.values(list ?? {}).filter((one) => typeof one === 'object' && one !== null);
}
