import { offsetsAt } from '#cluster/logs.ts';
import type { Logger } from '#streams/log.ts';
import { follow } from '#streams/read/follow.ts';
import { DecodeError } from '#topics/errors.ts';
import type { TopicValues } from '#topics/generated/types.ts';
import type { TopicSource } from '#topics/read-values.ts';
import { type TopicName, topicName } from '#topics/topics.ts';

/** Where topics are followed. */
export type FollowPlace = TopicSource & {
  readonly log: Logger;
  /** Called with the error that ended the following, so that later records are missed; not on `close`. */
  readonly onFailure: (error: unknown) => void;
};

type FollowRecordsOptions<T extends TopicName> = FollowPlace & {
  readonly topic: T;
  /** Gives what was written since then, Unix milliseconds; without it all that there is. */
  readonly since?: number;
  /** Given each record in the order of its partition; null is a deleted key. */
  readonly onRecord: (key: string, value: TopicValues[T] | null) => void;
};

export type Followed = { close(): Promise<void> };

/**
 * Follows a topic for as long as it is not closed. Resolves once everything is given that was there at the start; rejects
 * with what `follow` and `offsetsAt` throw before that. A record that cannot be decoded is left out and logged.
 */
export async function followRecords<T extends TopicName>(
  options: FollowRecordsOptions<T>,
): Promise<Followed> {
  const { brokers, prefix, registry, topic, since, log, onRecord, onFailure } = options;
  const name = topicName(prefix, topic);
  const from = since === undefined ? undefined : await offsetsAt({ brokers, topic: name, time: since });
  const decoder = registry.decoder(topic);
  const stopping = new AbortController();
  const caughtUp = Promise.withResolvers<void>();
  let started = false;
  const ended = follow({
    brokers,
    topics: [name],
    ...(from === undefined ? {} : { from }),
    signal: stopping.signal,
    async onBatch({ partition, records }) {
      await decoder.prepare(records);
      for (const { key, value: bytes, offset } of records) {
        try {
          onRecord(String(key), bytes === null ? null : decoder.decode(bytes));
        } catch (error) {
          if (!(error instanceof DecodeError)) throw error;
          log.error({ err: error, topic, partition, offset }, 'a record that cannot be decoded is left out');
        }
      }
    },
    onCaughtUp() {
      started = true;
      caughtUp.resolve();
    },
  }).catch((error: unknown) => {
    caughtUp.reject(error);
    if (started) onFailure(error);
  });
  await caughtUp.promise;
  return {
    async close() {
      stopping.abort();
      await ended;
    },
  };
}
