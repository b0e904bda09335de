import { offsetsAt } from '#cluster/logs.ts';
import type { TopicValues } from '#records/types.ts';
import type { Logger } from '#streams/log.ts';
import type { TopicSource } from '#topics/read-values.ts';
import { followValues } from '#topics/read-values.ts';
import { type TopicName, topicName } from '#topics/topics.ts';

/** The cluster whose topics are followed, and the log. */
export type FollowContext = TopicSource & {
  readonly log: Logger;
  /** Called with the error that ended the following after the start: later records are missed. */
  readonly onFailure: (error: unknown) => void;
};

type FollowRecordsOptions<T extends TopicName> = FollowContext & {
  readonly topic: T;
  /** Time of the first record, Unix milliseconds; default: all records. */
  readonly since?: number;
  /** Called with each record, in the order of its partition; null for a deleted key. */
  readonly onRecord: (key: string, value: TopicValues[T] | null) => void;
};

/** A running `followRecords`. */
export type RecordFollower = { close(): Promise<void> };

/**
 * Follows a topic until `close`. Resolves once `onRecord` was called with all records that existed at the start; before
 * that, rejects with what `follow` and `offsetsAt` reject with. Leaves out records that nobody can read.
 */
export async function followRecords<T extends TopicName>(
  options: FollowRecordsOptions<T>,
): Promise<RecordFollower> {
  const { brokers, prefix, topic, since, onRecord, onFailure } = options;
  const name = topicName(prefix, topic);
  const from = since === undefined ? undefined : await offsetsAt({ brokers, topic: name, time: since });
  const stopping = new AbortController();
  const caughtUp = Promise.withResolvers<void>();
  let hasStarted = false;
  const ended = followValues([topic], options, {
    from,
    signal: stopping.signal,
    onValues({ values }) {
      for (const { key, value } of values) onRecord(key, value);
    },
    onCaughtUp() {
      hasStarted = true;
      caughtUp.resolve();
    },
  }).catch((error: unknown) => {
    caughtUp.reject(error);
    if (hasStarted) onFailure(error);
  });
  await caughtUp.promise;
  return {
    async close() {
      stopping.abort();
      await ended;
    },
  };
}
