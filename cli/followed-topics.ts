/** Topics that a command reads from the beginning, then follows. */
import { findTopics } from '#topics/admin.ts';
import { type ClosingTables, closingReads } from '#topics/closing-topics.ts';
import { followInBackground } from '#topics/follow.ts';
import type { Now } from '#trading/feed-status.ts';
import type { OpenCluster } from './cluster.ts';

/** Returns the current time by both clocks of this machine. */
export function machineNow(): Now {
  return { wall: Date.now(), steady: performance.now() };
}

/**
 * Follows those of feed-health and trading-halts that exist, until `signal`. Resolves when both are read to their ends; rejects as `follow`
 * before that. Later the tables themselves expire, or say that they are not read.
 */
export async function followClosing(
  cluster: OpenCluster,
  tables: ClosingTables,
  signal: AbortSignal,
): Promise<void> {
  const existing = await findTopics(cluster);
  const topics = (['feed-health', 'trading-halts'] as const).filter((topic) => existing.has(topic));
  const { apply: onRecord, options } = closingReads(cluster.prefix, tables);
  await followInBackground(topics, { ...cluster, onFailure() {} }, { ...options, signal, onRecord });
}
