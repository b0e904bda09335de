/** Reads for `touchline doctor` what a running system does now: its tables, and the findings that follow from them. */
import { inputProgress, type PartitionProgress, totalLag } from '#cluster/logs.ts';
import type { DeadLetter, IngressStatus, RefusedList } from '#records/types.ts';
import { findTopics, groupMembers, topicPartitions } from '#topics/admin.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { PROCESSOR_NAMES, type ProcessorName, positionsTopicName, streamTopics } from '#topics/processors.ts';
import { Registry } from '#topics/registry.ts';
import { HealthTable, type SourceFeedStatus } from '#trading/feed-status.ts';
import type { OpenCluster } from '../../cluster.ts';
import { machineNow, StatusTopic } from '../../followed-topics.ts';
import { guarded, REQUEST_TIMEOUT_MS } from './checks.ts';
import { type ProcessStatus, readProcessStatus } from './processes.ts';
import {
  type CheckName,
  type CheckResult,
  judgeDeadLetters,
  judgeFeeds,
  judgeLag,
  judgeReceiverClocks,
} from './rules.ts';

/** A processor as the broker knows it. */
export type ProcessorStatus = {
  readonly processor: string;
  /** Null when its topics do not exist, or cannot be read. */
  readonly state: { readonly processes: number; readonly partitions: number; readonly behind: number } | null;
};

/** What a running system does. */
export type SystemTables = {
  /** Time of reading, Unix milliseconds. */
  readonly at: number;
  readonly prefix: string;
  readonly processors: readonly ProcessorStatus[];
  /** Number of open dead letters; null when the topic does not exist, or cannot be read. */
  readonly deadLetters: number | null;
  /** The status of each source of messages that has a record. */
  readonly sources: readonly SourceFeedStatus[];
  /** Events whose latest incident list the poller refuses, the earliest first. */
  readonly refusedLists: readonly RefusedList[];
  readonly processes: readonly ProcessStatus[];
};

type FollowedTopic = 'dead-letters' | 'feed-health' | 'ingress-status';

/** A service that reports, reports at least this often, milliseconds. */
const REPORTS_WITHIN_MS = 10_000;

/** Reads a system again and again: follows the topics of its state from the first reading on. */
export class SystemReader {
  readonly #cluster: OpenCluster;
  readonly #metrics: readonly string[];
  readonly #letters = new Map<string, Pick<DeadLetter, 'code' | 'reason' | 'failed_at'>>();
  readonly #reports = new Map<string, IngressStatus>();
  readonly #health = new HealthTable();
  readonly #followed: { readonly [T in FollowedTopic]: StatusTopic<T> };

  /** `metrics`: addresses of processes, as http://localhost:9464. */
  constructor(cluster: OpenCluster, metrics: readonly string[]) {
    const { registryUrl: url, prefix } = cluster;
    this.#cluster = { ...cluster, registry: Registry.open({ url, prefix, waitMs: REQUEST_TIMEOUT_MS }) };
    this.#metrics = metrics;
    this.#followed = {
      'dead-letters': new StatusTopic('dead-letters', this.#cluster, ({ key, value }) => {
        if (value === null) this.#letters.delete(key);
        else this.#letters.set(key, { code: value.code, reason: value.reason, failed_at: value.failed_at });
      }),
      'feed-health': new StatusTopic('feed-health', this.#cluster, ({ key, value }) =>
        this.#health.apply(key, value, performance.now()),
      ),
      'ingress-status': new StatusTopic(
        'ingress-status',
        this.#cluster,
        ({ value }) => value && this.#reports.set(value.instance, value),
      ),
    };
  }

  /** The status of the sources of messages now, by the records that were read. */
  get sources(): readonly SourceFeedStatus[] {
    return this.#health.sources(machineNow());
  }

  /** Reads until `signal`. What cannot be read is a failed check. Rejects with `TopicAdminError` when no broker answers. */
  async read(signal: AbortSignal): Promise<{ tables: SystemTables; findings: CheckResult[] }> {
    const topics = await findTopics(this.#cluster);
    const findings: CheckResult[] = [];
    // Other checks name missing topics.
    const read = async (topic: FollowedTopic, check: CheckName, judge: () => CheckResult[]) => {
      if (!topics.has(topic)) return false;
      const found = await guarded(check, async () => {
        await this.#followed[topic].untilRead(signal);
        return judge();
      });
      findings.push(...[found].flat());
      return Array.isArray(found);
    };
    const [processors, hasLetters, , , processes] = await Promise.all([
      Promise.all(PROCESSOR_NAMES.map((name) => this.#processor(name, findings))),
      read('dead-letters', 'records', () => judgeDeadLetters([...this.#letters.values()], Date.now())),
      read('feed-health', 'feed', () => judgeFeeds(this.sources)),
      read('ingress-status', 'clock', () => judgeReceiverClocks(this.#reports.values())),
      Promise.all(this.#metrics.map((url) => readProcessStatus(url, signal))),
    ]);
    const at = Date.now();
    const [poller] = [...this.#reports.values()]
      .filter(({ source, written_at }) => source === 'feed' && at - written_at < REPORTS_WITHIN_MS)
      .sort((a, b) => b.written_at - a.written_at);
    const tables = {
      at,
      prefix: this.#cluster.prefix,
      processors,
      deadLetters: hasLetters ? this.#letters.size : null,
      sources: this.sources,
      refusedLists: poller?.refused_lists ?? [],
      processes,
    };
    return { tables, findings };
  }

  async #processor(processor: ProcessorName, findings: CheckResult[]): Promise<ProcessorStatus> {
    const progress = await guarded('lag', () => processorProgress(this.#cluster, processor));
    if (progress === null) return { processor, state: null };
    if ('check' in progress) {
      findings.push(progress);
      return { processor, state: null };
    }
    const { members, partitions } = progress;
    findings.push(...judgeLag(processor, partitions, members));
    const state = { processes: members, partitions: partitions.length, behind: totalLag(partitions) };
    return { processor, state };
  }
}

/**
 * Returns the progress of a processor as the broker knows it, and the number of processes that share its work; null when its
 * topics do not exist. Rejects with `StreamError`, `TopicAdminError`.
 */
async function processorProgress(
  { brokers, prefix }: TopicCluster,
  processor: ProcessorName,
): Promise<{ readonly members: number; readonly partitions: readonly PartitionProgress[] } | null> {
  const { application, input } = streamTopics(prefix, processor);
  const required = [input, positionsTopicName(prefix, processor)];
  const partitionCounts = await Promise.all(required.map((name) => topicPartitions(brokers, name)));
  if (partitionCounts.includes(0)) return null;
  const [members, partitions] = await Promise.all([
    groupMembers(brokers, application),
    inputProgress({ brokers, application, input }),
  ]);
  return { members, partitions };
}
