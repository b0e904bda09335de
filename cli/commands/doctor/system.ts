/** Reads for `touchline doctor` what a running system does now: its tables, and the findings that follow from them. */
import { inputProgress, totalLag } from '#cluster/logs.ts';
import type { DeadLetter } from '#records/types.ts';
import { PromiseCache } from '#timing/promise-cache.ts';
import { findTopics, groupMembers, topicPartitions } from '#topics/admin.ts';
import { followInBackground } from '#topics/follow.ts';
import { PROCESSOR_NAMES, type ProcessorName, positionsTopicName, streamTopics } from '#topics/processors.ts';
import { Registry } from '#topics/registry.ts';
import { HealthTable, type SourceFeedStatus } from '#trading/feed-status.ts';
import type { OpenCluster } from '../../cluster.ts';
import { machineNow } from '../../followed-topics.ts';
import { guarded, REQUEST_TIMEOUT_MS } from './checks.ts';
import { type CheckResult, judgeDeadLetters, judgeFeeds, judgeLag } from './rules.ts';

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
};

const FOLLOWED = ['dead-letters', 'feed-health'] as const;

/** Reads a system again and again: follows the topics of its state from the first reading on. */
export class SystemReader {
  readonly #cluster: OpenCluster;
  readonly #letters = new Map<string, Pick<DeadLetter, 'code' | 'reason' | 'failed_at'>>();
  readonly #health = new HealthTable();
  readonly #following = new PromiseCache<unknown>();

  constructor(cluster: OpenCluster) {
    const { registryUrl: url, prefix } = cluster;
    this.#cluster = { ...cluster, registry: Registry.open({ url, prefix, waitMs: REQUEST_TIMEOUT_MS }) };
  }

  /** The status of the sources of messages now, by the records that were read. */
  get sources(): readonly SourceFeedStatus[] {
    return this.#health.sources(machineNow());
  }

  /** Reads until `signal`. What cannot be read is a failed check. Rejects with `TopicAdminError` when no broker answers. */
  async read(signal: AbortSignal): Promise<{ tables: SystemTables; findings: CheckResult[] }> {
    const existing = await findTopics(this.#cluster);
    const topics = FOLLOWED.filter((topic) => existing.has(topic));
    const findings: CheckResult[] = [];
    const [processors, read] = await Promise.all([
      Promise.all(PROCESSOR_NAMES.map((name) => this.#processor(name, findings))),
      guarded('records', async () => {
        await this.#untilRead(topics, signal);
        return { hasLetters: topics.includes('dead-letters') };
      }),
    ]);
    const isRead = 'hasLetters' in read;
    if (isRead)
      findings.push(
        ...judgeDeadLetters([...this.#letters.values()], Date.now()),
        ...judgeFeeds(this.sources),
      );
    else findings.push(read);
    const tables = {
      at: Date.now(),
      prefix: this.#cluster.prefix,
      processors,
      deadLetters: isRead && read.hasLetters ? this.#letters.size : null,
      sources: this.sources,
    };
    return { tables, findings };
  }

  /** Follows topics from the first call on. Resolves when they are read to their ends; a call after a failure reads them again. */
  async #untilRead(topics: readonly (typeof FOLLOWED)[number][], signal: AbortSignal): Promise<void> {
    if (topics.length === 0) return;
    const context = { ...this.#cluster, onFailure: () => this.#following.forget() };
    await this.#following.get(topics.join(), () =>
      followInBackground(topics, context, {
        signal,
        onRecord: ({ topic, key, value }) => {
          if (topic === 'feed-health') this.#health.apply(key, value, performance.now());
          else if (value === null) this.#letters.delete(key);
          else this.#letters.set(key, { code: value.code, reason: value.reason, failed_at: value.failed_at });
        },
      }),
    );
  }

  /** Returns a processor as the broker knows it, and adds the findings about its lag. */
  async #processor(processor: ProcessorName, findings: CheckResult[]): Promise<ProcessorStatus> {
    const { brokers, prefix } = this.#cluster;
    const { application, input } = streamTopics(prefix, processor);
    const found = await guarded('lag', async () => {
      const required = [input, positionsTopicName(prefix, processor)];
      const counts = await Promise.all(required.map((name) => topicPartitions(brokers, name)));
      if (counts.includes(0)) return null;
      return Promise.all([
        groupMembers(brokers, application),
        inputProgress({ brokers, application, input }),
      ] as const);
    });
    if (found === null) return { processor, state: null };
    if ('check' in found) {
      findings.push(found);
      return { processor, state: null };
    }
    const [members, partitions] = found;
    findings.push(...judgeLag(processor, partitions, members));
    const state = { processes: members, partitions: partitions.length, behind: totalLag(partitions) };
    return { processor, state };
  }
}
