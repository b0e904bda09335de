/** Reads for `touchline doctor` what a running system does now: its tables, and the findings that follow from them. */
import { inputProgress, totalLag } from '#cluster/logs.ts';
import type { DeadLetter, IngressStatus, RefusedList } from '#records/types.ts';
import { PromiseCache } from '#timing/promise-cache.ts';
import { findTopics, memberNames, topicPartitions } from '#topics/admin.ts';
import { followInBackground, type TopicRecord } from '#topics/follow.ts';
import { PROCESSOR_NAMES, type ProcessorName, positionsTopicName, streamTopics } from '#topics/processors.ts';
import type { TopicName } from '#topics/topics.ts';
import { HealthTable, type SourceFeedStatus } from '#trading/feed-status.ts';
import { type OpenCluster, openCluster } from '../../cluster.ts';
import { machineNow } from '../../followed-topics.ts';
import { guarded, REQUEST_TIMEOUT_MS } from './checks.ts';
import type { CheckResult } from './finding.ts';
import { judgeReceiverClocks } from './machine-rules.ts';
import { judgeDeadLetters, judgeFeeds } from './message-rules.ts';
import { judgeLag } from './topic-rules.ts';

/** A processor as the broker knows it. */
export type ProcessorStatus = {
  readonly processor: string;
  /** Null when its topics do not exist, or cannot be read. */
  readonly state: { readonly processes: number; readonly partitions: number; readonly behind: number } | null;
};

export type SystemTables = {
  readonly at: number;
  readonly prefix: string;
  readonly processors: readonly ProcessorStatus[];
  /** Number of open dead letters; null when the topic does not exist, or cannot be read. */
  readonly deadLetters: number | null;
  /** The status of each source of messages that has a record. */
  readonly sources: readonly SourceFeedStatus[];
  /** Events whose latest incident list the poller refuses, the earliest first. */
  readonly refusedLists: readonly RefusedList[];
};

/** A service that reports, reports at least this often, milliseconds. */
const REPORTS_WITHIN_MS = 10_000;

export type SystemReader = ReturnType<typeof systemReader>;

/** Reads a system again and again: follows the topics of its state from the first reading on. */
export function systemReader(of: OpenCluster) {
  const cluster = openCluster(of, REQUEST_TIMEOUT_MS);
  const { brokers, prefix } = cluster;
  const letters = new Map<string, DeadLetter>();
  const reports = new Map<string, IngressStatus>();
  const health = new HealthTable();
  /** The topics that are followed from the first reading on, and again after a failure, each once its existing records are read. */
  const followed = new PromiseCache<unknown>();
  let findings: CheckResult[] = [];
  let tables: Omit<SystemTables, 'sources'> | null = null;

  const readProcessor = async (processor: ProcessorName, found: CheckResult[]): Promise<ProcessorStatus> => {
    const { application, input } = streamTopics(prefix, processor);
    const state = await guarded('lag', async () => {
      for (const name of [input, positionsTopicName(prefix, processor)])
        if ((await topicPartitions(brokers, name)) === 0) return null;
      const { length: processes } = await memberNames(brokers, application);
      const partitions = await inputProgress({ brokers, application, input });
      found.push(...judgeLag(processor, partitions, processes));
      return { processes, partitions: partitions.length, behind: totalLag(partitions) };
    });
    if (state === null || !('check' in state)) return { processor, state };
    found.push(state);
    return { processor, state: null };
  };
  return {
    findings: (): readonly CheckResult[] => findings,
    /** The last tables, null before the first, with the status of the sources now: it expires even while the broker does not answer. */
    tables: (): SystemTables | null => tables && { ...tables, sources: health.sources(machineNow()) },
    /** Reads until `signal`. What cannot be read is a failed check. Rejects with `TopicAdminError` when no broker answers. */
    async read(signal: AbortSignal): Promise<void> {
      const topics = await findTopics(cluster);
      const found: CheckResult[] = [];
      const read = async <T extends TopicName>(
        topic: T,
        check: string,
        onRecord: (record: TopicRecord<T>) => unknown,
        judge: () => CheckResult[],
      ) => {
        // Other checks name missing topics.
        if (!topics.has(topic)) return false;
        const context = { ...cluster, onFailure: () => followed.forget(topic) };
        const follow = () => followInBackground([topic], context, { signal, onRecord });
        const judged = await guarded(check, () => followed.get(topic, follow).then(judge));
        found.push(...[judged].flat());
        return Array.isArray(judged);
      };
      const [processors, hasLetters] = await Promise.all([
        Promise.all(PROCESSOR_NAMES.map((name) => readProcessor(name, found))),
        read(
          'dead-letters',
          'records',
          ({ key, value }) =>
            value === null ? letters.delete(key) : letters.set(key, { ...value, value: null }),
          () => judgeDeadLetters([...letters.values()], Date.now()),
        ),
        read(
          'feed-health',
          'feed',
          ({ key, value }) => health.apply(key, value, performance.now()),
          () => judgeFeeds(health.sources(machineNow())),
        ),
        read(
          'ingress-status',
          'clock',
          ({ value }) => value && reports.set(value.instance, value),
          () => judgeReceiverClocks(reports.values()),
        ),
      ]);
      const at = Date.now();
      const [poller] = [...reports.values()]
        .filter(({ source, written_at }) => source === 'feed' && at - written_at < REPORTS_WITHIN_MS)
        .sort((a, b) => b.written_at - a.written_at);
      const deadLetters = hasLetters ? letters.size : null;
      tables = { at, prefix, processors, deadLetters, refusedLists: poller?.refused_lists ?? [] };
      findings = found;
    },
  };
}
