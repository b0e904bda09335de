import type { TopicValues } from '#records/types.ts';
import type { TopicPartition } from '#streams/client/port.ts';
import { type FollowValuesOptions, followValues, type TopicSource } from './read-values.ts';
import type { TopicName } from './topics.ts';

/** The cluster whose topics are followed, and whom to tell that following ended. */
export type FollowContext = TopicSource & {
  /** Called with the error that ended the following after the start: later records are missed. */
  readonly onFailure: (error: unknown) => void;
};

type FollowRecordsOptions<T extends TopicName> = FollowContext &
  Pick<FollowValuesOptions<T>, 'idleMs' | 'onUpToDate' | 'onUnreadable'> & {
    readonly topic: T;
    /** Ends the following, as `close` does. */
    readonly signal?: AbortSignal;
    /** Called with each record, in the order of its partition; null for a deleted key. */
    readonly onRecord: (key: string, value: TopicValues[T] | null, offset: number) => void;
  };

/** A running `followRecords`. */
export type RecordFollower = { close(): Promise<void> };

/**
 * Follows a topic in the background. Resolves once `onRecord` was called with all records that existed at the start, and `onUpToDate`,
 * if it is given, once; before that, rejects as `followValues` does.
 */
export async function followRecords<T extends TopicName>(
  options: FollowRecordsOptions<T>,
): Promise<RecordFollower> {
  const { topic, signal, onRecord, onFailure, onUpToDate, ...following } = options;
  const closing = new AbortController();
  const caughtUp = Promise.withResolvers<void>();
  let hasStarted = false;
  let isCaughtUp = false;
  let isUpToDate = onUpToDate === undefined;
  const start = (): void => {
    hasStarted = isCaughtUp && isUpToDate;
    if (hasStarted) caughtUp.resolve();
  };
  const ended = followValues([topic], options, {
    ...following,
    signal: signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]),
    onValues({ values }) {
      for (const { key, value, record } of values) onRecord(key, value, record.offset);
    },
    onCaughtUp() {
      isCaughtUp = true;
      start();
    },
    ...(onUpToDate !== undefined && {
      onUpToDate(of: TopicPartition, at: number) {
        onUpToDate(of, at);
        isUpToDate = true;
        start();
      },
    }),
  }).then(caughtUp.resolve, (error: unknown) => {
    caughtUp.reject(error);
    if (hasStarted) onFailure(error);
  });
  await caughtUp.promise;
  return {
    async close() {
      closing.abort();
      await ended;
    },
  };
}
