import type { StreamClient, TopicPartition } from '#streams/client/port.ts';

/** The client to check, and operations on its cluster by another client. */
export type ConformanceCluster = {
  /** Prefix of the names of topics, transactional ids and groups. */
  readonly prefix: string;
  openClient(): StreamClient;
  makeTopics(names: readonly string[], partitions: number): Promise<void>;
  recreateTopic(name: string, partitions: number): Promise<void>;
  /** Opens a transaction of another application with one record; it stays open for longer than a test takes. */
  leaveOpen(transactionalId: string, of: TopicPartition, value: string): Promise<{ abort(): Promise<void> }>;
};

/** Partitions of each topic of the suite. */
export const PARTITIONS = 4;
