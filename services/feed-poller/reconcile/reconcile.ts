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

export type Reconciler = ReturnType<typeof reconciler>;

/** Checks events: reads each with its whole incident list, and publishes both with the time of the answer. */
export function reconciler(options: ReconcilerOptions) {
  const { provider, watch, missing, eventPublisher, catalogue, topicWriter, context } = options;
  const { clock, backoff, contract, metrics, log } = context;
  /** Hash of the unreadable list by event, so that the same list becomes a dead letter only once. */
  const unreadable = new Map<number, string>();
  /** Whether the last event that was not found is held: one log line for all. */
  let isHeld = false;
  /** One timer for all loops that wait for a due event; null while none waits. */
  let pause: Promise<void> | null = null;

  const readIncidents = (event: Raw, id: number, signal: AbortSignal): Promise<IncidentList> => {
    const known = {
      publishedAt: watch.get(id)?.publishedAt ?? null,
      omittedBy: (listed: ReadonlySet<string>, at: number) =>
        watch.get(id)?.known.omittedBy(listed, at) ?? [],
      hasGoals: reportedGoals(event) > 0,
    };
    return readIncidentList(provider, id, known, signal);
  };

  /** Publishes a list with incidents or deletions, or a dead letter. Returns the snapshot if it counts: an empty one is no evidence (law 3). */
  const publish = async (
    id: number,
    { timestamp, items, deleted, refusal }: IncidentList,
  ): Promise<NormalizedMessage | null> => {
    const isSilent = items.length === 0 && deleted.length === 0;
    if (timestamp === null || refusal === 'older' || isSilent) return null;
    const plain = { eventId: id, time: timestamp, incidents: items.map(({ bytes }) => bytes) };
    const gone = deleted.map(({ bytes }) => bytes);
    const whole = readSnapshot({ ...plain, deleted: gone }, clock.unix());
    // The plain list counts, whatever the other one has.
    const delivery = whole.deadLetters.length === 0 ? whole : readSnapshot(plain, clock.unix());
    const readable = delivery.deadLetters.length === 0;
    if (readable) unreadable.delete(id);
    else {
      const digest = hash('sha1', Buffer.concat(plain.incidents), 'base64');
      if (unreadable.get(id) === digest) return null;
      unreadable.set(id, digest);
    }
    await topicWriter.deliver(delivery);
    const [message] = delivery.normalized;
    if (!readable || message === undefined) return null;
    for (const one of message.deleted) watch.get(id)?.known.remove(one.id, one.ut);
    return refusal === null ? message : null;
  };

  /** Checks one event. Throws `ProviderError`, `PublishError`. */
  const check = async (id: number, signal: AbortSignal): Promise<void> => {
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
      log.info({ event_id: id }, 'the provider has the event again');
    }
    missing.found(id);
    // It was watched for no other reason than that it may be missing.
    if (watch.get(id)?.state === 'unlisted') {
      watch.drop(id);
      watch.onEvent(event, shown.timestamp, clock.monotonic());
      return;
    }
    // The list is read after the event, so that a verified event gets its final list. When the provider reports only the
    // result of an event, its list is no timeline.
    const list = isYes(event.ft_only) ? null : await readIncidents(event, id, signal);
    const snapshot = list === null ? null : await publish(id, list);
    const now = clock.monotonic();
    watch.onEvent(event, shown.timestamp, now);
    // An empty list of an event of which nothing else is known is no refusal.
    const isUnread = list !== null && snapshot === null;
    const unreadableItems = isUnread && list.items.length > 0 ? 'unreadable' : null;
    const refusal = isUnread ? (list.refusal ?? unreadableItems) : null;
    const isGivenUp = refusal === 'empty' ? settled : watch.hasExpired(event, shown.timestamp);
    if (refusal !== null && !isGivenUp) {
      if (watch.refused(id, { event_id: id, reason: refusal, since: clock.unix() }, now))
        log.warn({ event_id: id, reason: refusal }, 'the incident list is not plausible, it changes nothing');
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
  };

  /** Whether the provider answers for an event that it lists: else its 404 is of its interface and not of an event. */
  const answersForOthers = async (signal: AbortSignal): Promise<boolean> => {
    const id = missing.control();
    if (id === null) return false;
    try {
      await provider.get({ operation: 'events.show', id, query: {} }, signal);
      return true;
    } catch (error) {
      if (error instanceof ProviderError && error.code !== 'STOPPED') return false;
      throw error;
    }
  };

  /** Ends a check of an event that `/v2/events/{id}` does not have. Publishes that it is missing as far as that is proven. */
  const onNotFound = async (id: number, signal: AbortSignal): Promise<void> => {
    const look = missing.look(id, clock.monotonic());
    if (look === 'held' && !isHeld) log.error({ event_id: id }, HELD);
    isHeld = look === 'held';
    if (look === 'nothing' || look === 'held' || !(await answersForOthers(signal))) {
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
  };

  /** Checks a claimed event. A failed check makes it due later; a missing event is dropped. */
  const checkClaimed = async (id: number, signal: AbortSignal): Promise<void> => {
    const resource = `event/${id}`;
    try {
      await check(id, signal);
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
      else if (code === 'NOT_FOUND') await onNotFound(id, signal);
      else {
        metrics.retries.inc({ resource: 'event', code: published });
        log.debug({ resource, code, detail: message }, 'a check failed, it is retried');
        const waitMs = (failures: number) => Math.max(backoff.firstMs, randomBackoffMs(backoff, failures));
        watch.failed(id, clock.monotonic(), waitMs);
      }
    }
    contract.admit(resource);
  };

  return {
    check,
    /** Checks due events one at a time until `signal` is aborted. Any number of these loops may run at once. */
    async run(pauseMs: number, signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const id = watch.claim(clock.monotonic());
        if (id !== null) {
          await checkClaimed(id, signal);
          continue;
        }
        pause ??= clock.sleep(pauseMs, signal).finally(() => {
          pause = null;
        });
        await pause;
      }
    },
  };
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
