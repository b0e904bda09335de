import { type MessageCounts, RecentMessages } from '#ingestion/recent-messages.ts';
import type { IngressStatus } from '#records/types.ts';

const WEBHOOK_SOURCE = 'webhook';
/** Number of forged deliveries that, without an authentic one for `SILENT_MS`, mean that our secret is wrong. */
const MIN_FORGED = 3;
const SILENT_MS = 20_000;

export type SourceStatus = ReturnType<typeof createSourceStatus>;

/** Creates the state of the webhook source, for ingress-status. Reads no clock; times are Unix milliseconds. */
export function createSourceStatus(instance: string, startedAt: number) {
  let acceptedAt = startedAt;
  /** Number of forged deliveries since the last accepted one. */
  let forged = 0;
  /** Number of authentic deliveries since the last accepted one that had expired. */
  let expired = 0;
  /** How far the newest `ut` of the last delivery was ahead of our clock. */
  let behind_ms = 0;
  const recent = new RecentMessages();
  return {
    accepted(now: number): void {
      acceptedAt = now;
      forged = 0;
      expired = 0;
    },
    forged(): void {
      forged += 1;
    },
    expired(): void {
      expired += 1;
    },
    /** Counts the messages of a stored delivery. `aheadMs`: how far their newest `ut` was ahead; null without a message. */
    stored(counts: MessageCounts, aheadMs: number | null, now: number): void {
      recent.add(counts, now);
      behind_ms = aheadMs ?? behind_ms;
    },
    report(now: number): IngressStatus {
      const down = now - acceptedAt >= SILENT_MS && forged >= MIN_FORGED;
      return {
        source: WEBHOOK_SOURCE,
        instance,
        state: down ? 'down' : 'up',
        reason: down ? 'credentials' : null,
        // A source that pushes: an accepted delivery may be a repetition.
        heard_at: null,
        progress: null,
        gap: null,
        clock: { behind_ms, expired },
        written_at: now,
        ...recent.counts(now),
        refused_lists: [],
      };
    },
  };
}

/** Returns a function that starts `write`, which never rejects, once the last one has ended; calls meanwhile share the next one. */
export function oneAtATime(write: () => Promise<void>): () => void {
  let last = Promise.resolve();
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    last = last.then(() => {
      isDue = false;
      return write();
    });
  };
}
