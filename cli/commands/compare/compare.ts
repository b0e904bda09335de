import { hash } from 'node:crypto';
import type { MatchTransition } from '#records/types.ts';
import { HEADER_BYTES } from '#topics/codec.ts';
import { follow } from '#topics/follow.ts';
import type { OpenCluster } from '../../cluster.ts';
import {
  type ComparedTopic,
  type ComparisonLevel,
  comparedAt,
  comparedText,
  type Difference,
  differencesOf,
  ignoredFields,
  leavesOf,
} from './fields.ts';

const NO_BYTES = Buffer.alloc(0);

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
  /** The first difference in the order of keys; null when there is none. */
  readonly first: FirstDifference | null;
};

export type FirstDifference = {
  readonly key: string;
  /** The side without a record of this key; `fields` is then empty. Null when both have one. */
  readonly missing: 'a' | 'b' | null;
  /** The fields that differ; empty when only the order of entries in the bytes differs. */
  readonly fields: readonly Difference[];
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
  for (const topic of comparedAt(level)) found.push(await compareTopic(a, b, topic, level));
  return found;
}

async function compareTopic(
  a: OpenCluster,
  b: OpenCluster,
  topic: ComparedTopic,
  level: ComparisonLevel,
): Promise<TopicComparison> {
  const ignored = ignoredFields(topic, level);
  const [ofA, ofB] = await Promise.all([digests(a, topic, level), digests(b, topic, level)]);
  const onlyA = [...ofA.keys()].filter((key) => !ofB.has(key));
  const onlyB = [...ofB.keys()].filter((key) => !ofA.has(key));
  const different = [...ofA].filter(([key, digest]) => ofB.has(key) && ofB.get(key) !== digest);
  const keys = [...onlyA, ...onlyB, ...different.map(([key]) => key)].sort(byNumbers);
  const [first] = keys;
  return {
    topic,
    a: ofA.size,
    b: ofB.size,
    onlyA: onlyA.length,
    onlyB: onlyB.length,
    different: different.length,
    first: first === undefined ? null : await firstDifference(first),
  };

  async function firstDifference(key: string): Promise<FirstDifference> {
    if (!ofA.has(key)) return { key, missing: 'a', fields: [] };
    if (!ofB.has(key)) return { key, missing: 'b', fields: [] };
    const [one, other] = await Promise.all([findValue(a, topic, key), findValue(b, topic, key)]);
    return { key, missing: null, fields: differencesOf(leavesOf(one, ignored), leavesOf(other, ignored)) };
  }
}

/** Returns the digest of the last value of each key. */
async function digests(
  cluster: OpenCluster,
  topic: ComparedTopic,
  level: ComparisonLevel,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  await readCompared(cluster, topic, (key, value, bytes) => {
    const compared = value === null || level === 'bytes' ? value && bytes : comparedText(topic, level, value);
    if (compared === null) found.delete(key);
    else found.set(key, hash('sha1', compared, 'base64'));
  });
  return found;
}

/** Returns the last value of a key; null when it has none. */
async function findValue(cluster: OpenCluster, topic: ComparedTopic, key: string): Promise<unknown> {
  let found: unknown = null;
  await readCompared(cluster, topic, (name, value) => {
    if (name === key) found = value;
  });
  return found;
}

async function readCompared(
  cluster: OpenCluster,
  topic: ComparedTopic,
  onValue: (key: string, value: object | null, bytes: Buffer) => void,
): Promise<void> {
  await follow([topic], cluster, {
    untilEnd: true,
    onRecord({ key, value, bytes }) {
      const isTransition = topic === 'match-transitions' && value !== null;
      const name = isTransition ? (value as MatchTransition).id : key;
      // The header is skipped: the same schema may have different ids in different registries.
      onValue(name, value, bytes?.subarray(HEADER_BYTES) ?? NO_BYTES);
    },
  });
}

/** Orders keys as a person expects: numbers in them by value. */
function byNumbers(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
