import { hash } from 'node:crypto';
import type { OperationName } from '#contract/rest/operations.ts';
import { SETTLE_SECONDS } from '#domain/incident-register.ts';
import { toWholeNumber } from '#json/values.ts';
import type { MachineClock } from '#timing/clock.ts';
import { limiter } from '../provider/limiter.ts';
import { idOf, type Raw, without } from '../provider/tree.ts';
import { readEvents } from './messages.ts';
import type { TopicWriter } from './topic-writer.ts';

/** `ut`: of the message, `own`: of the record, Unix seconds. */
type Change = Readonly<{ id: string; record: Raw; ut: number; own: number; digest: string }>;

/**
 * The operation and `api.timestamp` of an answer. `final`: whether it settles the event, and so overrides all older messages.
 * `absentAt`: the time of a published absence, which the message overrides. Times in Unix seconds.
 */
type EventsReading = {
  readonly operation: OperationName;
  readonly time: number;
  readonly final?: boolean;
  readonly absentAt?: number | null;
};

/** The `ut` of the event when it was last read, that of the last message, and the digest of the event by operation. */
type Published = Readonly<{ ut: number; publishedUt: number; hashes: Map<OperationName, string> }>;

export type EventPublisher = ReturnType<typeof createEventPublisher>;

/**
 * Creates a publisher of changed events of lists as messages of the feed, and, as signs of life, of the resting events in play. A message
 * has the event's `ut`, so that no cached list overrides the feed; a change without a newer one has the answer's time, less the settle
 * margin.
 */
export function createEventPublisher(
  topicWriter: Pick<TopicWriter, 'deliver'>,
  clock: Pick<MachineClock, 'unix'>,
) {
  const published = new Map<string, Published>();
  /** Publishes one read at a time: changes are relative to those of earlier reads. */
  const oneByOne = limiter(1);

  /** Returns the change to publish for an event; null when there is none. */
  const changeOf = (
    record: Raw,
    { operation, time, final = false, absentAt = null }: EventsReading,
  ): Change | null => {
    const id = idOf(record);
    if (id === '') return null;
    const stamped = toWholeNumber(record.ut);
    const own = stamped ?? time;
    const settled = Math.max(own, time - SETTLE_SECONDS);
    const digest = hash('sha1', JSON.stringify(without(record, ['ut', 'events_incidents'])), 'base64');
    const change = (ut: number): Change => ({ id, record, ut, own, digest });
    const before = published.get(id);
    if (absentAt !== null) return change(Math.max(settled, absentAt + 1));
    if (before === undefined) return change(final ? settled : own);
    // An older record comes from a cache or a lagging replica.
    if (own < before.ut) return null;
    if (!final && before.hashes.get(operation) === digest)
      return operation === 'livescore.index' && isLiveAtRest(record) ? change(before.publishedUt) : null;
    if (!final && stamped === before.ut && !before.hashes.has(operation)) {
      // Another list shows the same record in another shape.
      before.hashes.set(operation, digest);
      return null;
    }
    const ut = own > before.publishedUt && !final ? own : settled;
    // A message of this second is already published; a later read publishes the change with a later time.
    return ut > before.publishedUt ? change(ut) : null;
  };
  return {
    /** Publishes the events that differ from the last published ones. Throws `PublishError`. */
    publish: (events: readonly Raw[], reading: EventsReading): Promise<void> =>
      oneByOne(async () => {
        const changes = events.flatMap((record) => changeOf(record, reading) ?? []);
        if (changes.length === 0) return;
        for (const delivery of readEvents(changes, reading.time, clock.unix()))
          await topicWriter.deliver(delivery);
        for (const { id, ut, own, digest } of changes) {
          const hashes = published.get(id)?.hashes ?? new Map<OperationName, string>();
          published.set(id, { ut: own, publishedUt: ut, hashes: hashes.set(reading.operation, digest) });
        }
      }),
  };
}

/** Whether an event is in play and at rest. With a running clock, an answer in which it stands still is no sign of life. */
function isLiveAtRest({ status_type, clock_status, clock_time }: Raw): boolean {
  return status_type === 'live' && (clock_status !== 'running' || toWholeNumber(clock_time) === null);
}
