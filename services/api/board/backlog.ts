import { inputProgress, totalLag } from '#cluster/logs.ts';
import type { Brokers } from '#security/brokers.ts';
import type { Logger } from '#streams/log.ts';
import { BACKLOG_OF } from '#topics/acls.ts';
import { type ProcessorName, streamTopics } from '#topics/processors.ts';

/** Number of unprocessed records of a processor; null: unknown. */
export type ProcessorBacklog = { readonly processor: ProcessorName; readonly records: number | null };

/** Minimum interval between two counts, milliseconds: each count opens connections, and pages ask every two seconds. */
const COUNT_INTERVAL_MS = 4_000;
/** Age beyond which a count is not shown, milliseconds: the broker does not answer. */
const MAX_AGE_MS = 15_000;

type BacklogOptions = {
  readonly brokers: Brokers;
  readonly prefix: string;
  readonly log: Logger;
};

/** Returns the last count of unprocessed records; null: no recent count. */
export type BacklogCounter = () => readonly ProcessorBacklog[] | null;

/**
 * Creates a counter of the unprocessed records of the processors whose results the board shows. It starts a count only when it is
 * called and the last count is older than `COUNT_INTERVAL_MS`.
 */
export function backlogCounter({ brokers, prefix, log }: BacklogOptions): BacklogCounter {
  let last: { readonly at: number; readonly waiting: readonly ProcessorBacklog[] } | undefined;
  let startedAt = Number.NEGATIVE_INFINITY;
  let isCounting = false;

  const countOf = async (processor: ProcessorName): Promise<ProcessorBacklog> => {
    const { application, input } = streamTopics(prefix, processor);
    try {
      return { processor, records: totalLag(await inputProgress({ brokers, application, input })) };
    } catch (err) {
      log.debug({ err, processor }, 'the backlog of a processor cannot be counted');
      return { processor, records: null };
    }
  };
  const count = async (at: number): Promise<void> => {
    isCounting = true;
    last = { at, waiting: await Promise.all(BACKLOG_OF.map(countOf)) };
    isCounting = false;
  };
  return () => {
    const now = performance.now();
    if (!isCounting && now - startedAt >= COUNT_INTERVAL_MS) {
      startedAt = now;
      void count(now);
    }
    return last !== undefined && now - last.at < MAX_AGE_MS ? last.waiting : null;
  };
}
