import { createHash } from 'node:crypto';
import { type FollowPlace, followRecords } from '#clients/follow-records.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { topicName } from '#topics/topics.ts';

/** Sessions that their owners have signed out of, whatever replica they did it at. */
export type EndedSessions = Awaited<ReturnType<typeof followEndedSessions>>;

/** How long a person who signs out waits for the broker, milliseconds. */
const PUBLISH_WITHIN_MS = 5_000;

/**
 * Ended sessions, as the topic has them. Resolves once all are known that had ended by now; `lifetimeMs`: how long a session lasts,
 * what ended before has expired.
 */
export async function followEndedSessions(place: FollowPlace, lifetimeMs: number) {
  const { brokers, prefix, registry, log } = place;
  /** When each ended, by hash, the oldest first. */
  const ended = new Map<string, number>();
  const add = (hash: string, at: number): void => {
    ended.set(hash, at);
    for (const [oldest, endedAt] of ended) {
      if (endedAt > Date.now() - lifetimeMs) break;
      ended.delete(oldest);
    }
  };
  const followed = await followRecords({
    ...place,
    topic: 'ended-sessions',
    since: Date.now() - lifetimeMs,
    onRecord: (hash, record) => {
      if (record !== null) add(hash, record.ended_at);
    },
  });
  const codec = await registry.codec('ended-sessions');
  return {
    has: (session: string) => ended.size > 0 && ended.has(hashOf(session)),
    /** Resolves once every replica will hear of it, also one that starts later. Rejects with `PublishError`. */
    async end(session: string, client_id: number): Promise<void> {
      const [session_hash, ended_at] = [hashOf(session), Date.now()];
      const value = codec.encode({ session_hash, client_id, ended_at });
      const within = { timeoutMs: PUBLISH_WITHIN_MS, openTimeoutMs: PUBLISH_WITHIN_MS };
      const publisher = await openPublisher({ brokers, clientId: 'touchline-sessions', log, ...within });
      try {
        await publisher.publish([{ topic: topicName(prefix, 'ended-sessions'), key: session_hash, value }]);
      } finally {
        await publisher.close();
      }
      add(session_hash, ended_at);
    },
    close: () => followed.close(),
  };
}

function hashOf(session: string): string {
  return createHash('sha256').update(session).digest('hex');
}
