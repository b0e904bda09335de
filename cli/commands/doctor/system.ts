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
import { type CheckResult, judgeDeadLetters, judgeFeeds, judgeLag, judgeReceiverClocks } from './rules.ts';

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

/** Reads a system again and again: follows the topics of its state from the first reading on. */
export class SystemReader {
  findings: readonly CheckResult[] = [];
  readonly #cluster: OpenCluster;
  readonly #letters = new Map<string, Pick<DeadLetter, 'code' | 'reason' | 'failed_at'>>();
  readonly #reports = new Map<string, IngressStatus>();
  readonly #health = new HealthTable();
  /** The topics that are followed from the first reading on, and again after a failure, each once its existing records are read. */
  readonly #followed = new PromiseCache<unknown>();
  #tables: Omit<SystemTables, 'sources'> | null = null;

  constructor(cluster: OpenCluster) {
    this.#cluster = openCluster(cluster, REQUEST_TIMEOUT_MS);
  }

  /** The last tables, null before the first, with the status of the sources now: it expires even while the broker does not answer. */
  get tables(): SystemTables | null {
    return this.#tables && { ...this.#tables, sources: this.#health.sources(machineNow()) };
  }

  /** Reads until `signal`. What cannot be read is a failed check. Rejects with `TopicAdminError` when no broker answers. */
  async read(signal: AbortSignal): Promise<void> {
    const topics = await findTopics(this.#cluster);
    const findings: CheckResult[] = [];
    const read = async <T extends TopicName>(
      topic: T,
      check: string,
      onRecord: (record: TopicRecord<T>) => unknown,
      judge: () => CheckResult[],
    ) => {
      // Other checks name missing topics.
      if (!topics.has(topic)) return false;
      const context = { ...this.#cluster, onFailure: () => this.#followed.forget(topic) };
      const follow = () => followInBackground([topic], context, { signal, onRecord });
      const found = await guarded(check, () => this.#followed.get(topic, follow).then(judge));
      findings.push(...[found].flat());
      return Array.isArray(found);
    };
    const [processors, hasLetters] = await Promise.all([
      Promise.all(PROCESSOR_NAMES.map((name) => this.#processor(name, findings))),
      read(
        'dead-letters',
        'records',
        ({ key, value }) => {
          if (value === null) this.#letters.delete(key);
          else this.#letters.set(key, { code: value.code, reason: value.reason, failed_at: value.failed_at });
        },
        () => judgeDeadLetters([...this.#letters.values()], Date.now()),
      ),
      read(
        'feed-health',
        'feed',
        ({ key, value }) => this.#health.apply(key, value, performance.now()),
        () => judgeFeeds(this.#health.sources(machineNow())),
      ),
      read(
        'ingress-status',
        'clock',
        ({ value }) => value && this.#reports.set(value.instance, value),
        () => judgeReceiverClocks(this.#reports.values()),
      ),
    ]);
    const at = Date.now();
    const [poller] = [...this.#reports.values()]
      .filter(({ source, written_at }) => source === 'feed' && at - written_at < REPORTS_WITHIN_MS)
      .sort((a, b) => b.written_at - a.written_at);
    this.#tables = {
      at,
      prefix: this.#cluster.prefix,
      processors,
      deadLetters: hasLetters ? this.#letters.size : null,
      refusedLists: poller?.refused_lists ?? [],
    };
    this.findings = findings;
  }

  async #processor(processor: ProcessorName, findings: CheckResult[]): Promise<ProcessorStatus> {
    const { brokers, prefix } = this.#cluster;
    const { application, input } = streamTopics(prefix, processor);
    const state = await guarded('lag', async () => {
      for (const name of [input, positionsTopicName(prefix, processor)])
        if ((await topicPartitions(brokers, name)) === 0) return null;
      const { length: processes } = await memberNames(brokers, application);
      const partitions = await inputProgress({ brokers, application, input });
      findings.push(...judgeLag(processor, partitions, processes));
      return { processes, partitions: partitions.length, behind: totalLag(partitions) };
    });
    if (state === null || !('check' in state)) return { processor, state };
    findings.push(state);
    return { processor, state: null };
  }
}
