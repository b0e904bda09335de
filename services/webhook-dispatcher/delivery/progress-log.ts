import type { WebhookProgress } from '#records/types.ts';
import type { StreamClient, TopicPartition, TransactionalProducer } from '#streams/client/port.ts';
import type { LeadershipTerm } from '#streams/leadership.ts';
import { settlesWithin, sleep } from '#timing/clock.ts';
import type { Codec } from '#topics/codec.ts';
import { isOfSchema } from '#topics/errors.ts';
import { decodeRecords } from '#topics/follow.ts';
import { reportUnreadable, type UnreadableRecord } from '#topics/unreadable.ts';

/** The progress of a subscription; null before its start and after its removal. */
export type DeliveryProgress = WebhookProgress | null;

/** Time that changed progress waits for others', milliseconds, unless `flush` is called: a transaction each would cost too much. */
const LINGER_MS = 250;
/** Interval at which an idle log asks whether a broker left its last transaction open, milliseconds. */
const CHECK_MS = 2_000;
/** How long a release waits for its last transaction, milliseconds. The next owner repeats what it would have had. */
const LAST_WRITE_MS = 2_000;
const RESTORE_BYTES = 1024 * 1024;

type ProgressLogOptions = {
  readonly client: Pick<StreamClient, 'openProducer' | 'openReader' | 'logBounds'>;
  /** Name of webhook-progress on the broker. */
  readonly topic: string;
  /** First part of its transactional ids. */
  readonly application: string;
  readonly codec: Codec<WebhookProgress>;
};

/** Delivers the subscriptions of a partition from its claim to its release, which resolves when the last outcome is recorded. */
type ProgressOwner = {
  claim(
    partition: number,
    progress: ReadonlyMap<string, WebhookProgress>,
    progressLog: ProgressLog,
  ): Promise<void>;
  release(partition: number): Promise<void>;
};

type ProgressTarget = {
  readonly producer: Pick<TransactionalProducer, 'transact' | 'requireDecided'>;
  readonly of: TopicPartition;
  readonly codec: Codec<WebhookProgress>;
};

/** The writer of one partition of webhook-progress, until another one fences it or a transaction fails. */
export class ProgressLog {
  readonly #target: ProgressTarget;
  #changed = new Map<string, DeliveryProgress>();
  /** Settled with the transaction that has what changed. */
  #written = newWrite();
  #timer: NodeJS.Timeout | undefined;
  /** Resolves after the last step so far: one transaction at a time. */
  #steps: Promise<void> = Promise.resolve();
  readonly #failed = new AbortController();

  constructor(target: ProgressTarget) {
    this.#target = target;
  }

  /** Aborted with the error when nothing can be written any more. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** Writes the progress of a subscription; null removes it. Resolves when it is committed, rejects when it never is. */
  write(id: string, progress: DeliveryProgress): Promise<void> {
    this.#changed.set(id, progress);
    this.#timer ??= setTimeout(() => this.flush(), LINGER_MS);
    return this.#written.promise;
  }

  /** Writes at once what changed. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#queue(() => this.#commit());
  }

  /** Fails if a broker left the last transaction open: nobody could read it. */
  check(): void {
    this.#queue(() => this.#target.producer.requireDecided());
  }

  /** Ends the log: nothing is written any more. */
  fail(error: unknown): void {
    clearTimeout(this.#timer);
    this.#failed.abort(error);
    this.#written.reject(error);
  }

  #queue(step: () => Promise<void>): void {
    this.#steps = this.#steps
      .then(() => (this.failed.aborted ? undefined : step()))
      .catch((error: unknown) => this.fail(error));
  }

  async #commit(): Promise<void> {
    if (this.#changed.size === 0) return;
    const { producer, of, codec } = this.#target;
    const [changed, written] = [this.#changed, this.#written];
    this.#changed = new Map();
    this.#written = newWrite();
    try {
      const records = Array.from(changed, ([key, progress]) => ({
        ...of,
        key,
        value: progress === null ? null : codec.encode(progress),
      }));
      await producer.transact(records);
      written.resolve();
    } catch (error) {
      written.reject(error);
      throw error;
    }
  }
}

/** A promise whose rejection is no error of the process: not every writer waits. */
function newWrite(): PromiseWithResolvers<void> {
  const write = Promise.withResolvers<void>();
  write.promise.catch(() => {});
  return write;
}

/** Owns a partition of webhook-progress for a term: fences, reads, and lets the dispatcher deliver. Rejects with `StreamError`, `DecodeError`. */
export async function ownPartition(
  { client, topic, application, codec }: ProgressLogOptions,
  dispatcher: ProgressOwner,
  partition: number,
  { signal }: Pick<LeadershipTerm, 'signal'>,
): Promise<void> {
  const of = { topic, partition };
  const producer = await client.openProducer({
    transactionalId: `${application}-webhook-progress-${partition}`,
    own: [of],
    shared: [],
    // Only used with a broker that has KAFKA-20734: what is aborted is delivered again.
    lastCommitted: async () => null,
    signal,
  });
  const log = new ProgressLog({ producer, of, codec });
  const over = AbortSignal.any([signal, log.failed]);
  try {
    await dispatcher.claim(partition, await restore({ client, topic, codec }, partition, signal), log);
    while (!over.aborted) {
      await sleep(CHECK_MS, over);
      log.check();
    }
    log.failed.throwIfAborted();
  } finally {
    const released = dispatcher.release(partition);
    log.flush();
    await settlesWithin(released, LAST_WRITE_MS);
    log.fail(new Error('released'));
    await producer.close();
  }
}

/** Leaves a record out that nobody can read: its subscription is sent some messages again. Without its schema that would be all of them. */
function report(record: UnreadableRecord): void {
  if (isOfSchema(record.error)) throw record.error;
  reportUnreadable(record);
}

/** Reads the progress of a partition's subscriptions, after the fencing of every other writer. */
async function restore(
  { client, topic, codec }: Omit<ProgressLogOptions, 'application'>,
  partition: number,
  signal: AbortSignal,
): Promise<Map<string, WebhookProgress>> {
  const progress = new Map<string, WebhookProgress>();
  const [bounds] = await client.logBounds([{ topic, partition }]);
  const reader = client.openReader({ topic, partition, maxBytes: RESTORE_BYTES });
  try {
    // Not `readRange`, which ends at an open transaction: without the rest, subscriptions would begin anew.
    for (let at = bounds?.start ?? 0; at < (bounds?.end ?? 0); ) {
      signal.throwIfAborted();
      const { records, next } = await reader.read(at);
      for (const { record, value } of await decodeRecords(codec, { topic, partition }, records, report)) {
        if (value === null) progress.delete(String(record.key));
        else progress.set(value.subscription_id, value);
      }
      at = next;
    }
  } finally {
    await reader.close();
  }
  return progress;
}
