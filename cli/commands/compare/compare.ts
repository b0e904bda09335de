import { hash } from 'node:crypto';
import type { MatchTransition } from '#records/types.ts';
import { HEADER_BYTES } from '#topics/codec.ts';
import { follow } from '#topics/follow.ts';
import type { OpenCluster } from '../../cluster.ts';
import { type ComparedTopic, type ComparisonLevel, comparedAt, comparedText } from './fields.ts';

/** Comparison of one topic. Counts are numbers of existing keys; transitions count by their ids. */
export type TopicComparison = {
  readonly topic: ComparedTopic;
  readonly a: number;
  readonly b: number;
  /** Number of keys that only side a has. */
  readonly onlyA: number;
  /** Number of keys that only side b has. */
  readonly onlyB: number;
  /** Number of keys with different values. */
  readonly different: number;
  /** All these keys: numbers in them by value. */
  readonly keys: readonly string[];
};

/**
 * Compares two prefixes, read committed, up to their current ends: the last value of each key, and of each transition by its
 * id. Holds a digest of each record in memory, about 150 bytes. Rejects with `StreamError`, `DecodeError`.
 */
export async function compare(
  a: OpenCluster,
  b: OpenCluster,
  level: ComparisonLevel,
): Promise<TopicComparison[]> {
  const found: TopicComparison[] = [];
  for (const topic of comparedAt(level)) {
    const [ofA, ofB] = await Promise.all([digests(a, topic, level), digests(b, topic, level)]);
    const onlyA = [...ofA.keys()].filter((key) => !ofB.has(key));
    const onlyB = [...ofB.keys()].filter((key) => !ofA.has(key));
    const different = [...ofA.keys()].filter((key) => ofB.has(key) && ofB.get(key) !== ofA.get(key));
    found.push({
      topic,
      a: ofA.size,
      b: ofB.size,
      onlyA: onlyA.length,
      onlyB: onlyB.length,
      different: different.length,
      keys: [...onlyA, ...onlyB, ...different].sort((x, y) => x.localeCompare(y, 'en', { numeric: true })),
    });
  }
  return found;
}

/** Returns the digest of the last value of each key. */
async function digests(
  cluster: OpenCluster,
  topic: ComparedTopic,
  level: ComparisonLevel,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  await follow([topic], cluster, {
    untilEnd: true,
    onRecord({ key, value, bytes }) {
      const name = topic === 'match-transitions' && value !== null ? (value as MatchTransition).id : key;
      // The header is skipped: the same schema may have different ids in different registries.
      const compared =
        level === 'bytes'
          ? value && bytes?.subarray(HEADER_BYTES)
          : value && comparedText(topic, level, value);
      if (compared === null || compared === undefined) found.delete(name);
      else found.set(name, hash('sha1', compared, 'base64'));
    },
  });
  return found;
}
