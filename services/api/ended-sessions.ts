import { hash } from 'node:crypto';
import type { Logger } from '#streams/log.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { type FollowContext, followRecords } from '#topics/follow-records.ts';
import { topicName } from '#topics/topics.ts';

/** Sessions that ended by signing out, at any replica. */
export type EndedSessions = Awaited<ReturnType<typeof followEndedSessions>>;

/** Timeout for storing the end of a session, milliseconds: a person waits for it. */
const PUBLISH_TIMEOUT_MS = 5_000;

/**
 * Follows the topic of ended sessions. Resolves when every session that has ended by now is known. `lifetimeMs`: lifetime of a
 * session. An end is known for as long by a clock that nobody sets: else a wall clock that is ahead for a moment would forget ends, and
 * their sessions would be valid again.
 */
export async function followEndedSessions(
  context: FollowContext & { readonly log: Logger },
  lifetimeMs: number,
) {
  const { brokers, prefix, registry, log } = context;
  /** When each end became known, on the monotonic clock, by the session's hash; the oldest first. */
  const ended = new Map<string, number>();
  const add = (hash: string): void => {
    const now = performance.now();
    if (!ended.has(hash)) ended.set(hash, now);
    for (const [oldest, knownAt] of ended) {
      if (knownAt > now - lifetimeMs) break;
      ended.delete(oldest);
    }
  };
  const followed = await followRecords({
    ...context,
    topic: 'ended-sessions',
    onRecord: (hash, record) => {
      if (record !== null) add(hash);
    },
  });
  const codec = await registry.codec('ended-sessions');
  const publishing = {
    brokers,
    clientId: 'touchline-sessions',
    log,
    timeoutMs: PUBLISH_TIMEOUT_MS,
    openTimeoutMs: PUBLISH_TIMEOUT_MS,
  };
  return {
    has: (session: string) => ended.size > 0 && ended.has(hashOf(session)),
    /** Stores the end for all replicas, including those that start later. Rejects with `PublishError`. */
    async end(session: string, client_id: number): Promise<void> {
      const [session_hash, ended_at] = [hashOf(session), Date.now()];
      const value = codec.encode({ session_hash, client_id, ended_at });
      const record = { topic: topicName(prefix, 'ended-sessions'), key: session_hash, value };
      await withPublisher(publishing, (publisher) => publisher.publish([record]));
      add(session_hash);
    },
    close: () => followed.close(),
  };
}

function hashOf(session: string): string {
  return hash('sha256', session);
}
