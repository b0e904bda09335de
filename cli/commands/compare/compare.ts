import { hash } from 'node:crypto';
import { canonicalJson } from '#contract/canonical-json.ts';
import { HEADER_BYTES } from '#topics/codec.ts';
import type { MatchTransition } from '#topics/generated/types.ts';
import { readValues } from '#topics/read-values.ts';
import type { OpenCluster } from '../../cluster.ts';
import {
  type ComparedTopic,
  type ComparisonLevel,
  comparedAt,
  type Difference,
  differencesOf,
  leavesOf,
  leftOut,
} from './fields.ts';

const NO_BYTES = Buffer.alloc(0);

/** What was found of one topic. Counts are of keys that are there, of transitions by their ids. */
export type TopicComparison = {
  readonly topic: ComparedTopic;
  readonly a: number;
  readonly b: number;
  /** Keys that only one side has, and keys with values that differ. */
  readonly onlyA: number;
  readonly onlyB: number;
  readonly different: number;
  /** The first of them, in the order of keys; null where there is none. */
  readonly first: FirstDifference | null;
};

export type FirstDifference = {
  readonly key: string;
  /** Null where that side has no such record; then there are no `fields`. */
  readonly missing: 'a' | 'b' | null;
  /** None where only the order of entries in the bytes differs. */
  readonly fields: readonly Difference[];
};

/**
 * Compares what two prefixes hold, read committed, up to their ends as of now: the last value of each key, transitions by their
 * ids. Holds a digest of each record in memory, about 150 bytes. Rejects with `StreamError`, `DecodeError`.
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
  const without = leftOut(topic, level);
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
    first: first === undefined ? null : await show(first),
  };

  async function show(key: string): Promise<FirstDifference> {
    if (!ofA.has(key)) return { key, missing: 'a', fields: [] };
    if (!ofB.has(key)) return { key, missing: 'b', fields: [] };
    const [one, other] = await Promise.all([findValue(a, topic, key), findValue(b, topic, key)]);
    return { key, missing: null, fields: differencesOf(leavesOf(one, without), leavesOf(other, without)) };
  }
}

/** The digest of the last value of each key. */
async function digests(
  place: OpenCluster,
  topic: ComparedTopic,
  level: ComparisonLevel,
): Promise<Map<string, string>> {
  const without = leftOut(topic, level);
  const found = new Map<string, string>();
  await readCompared(place, topic, (key, value, bytes) => {
    if (value === null) found.delete(key);
    else found.set(key, hash('sha1', level === 'bytes' ? bytes : textOf(value, without), 'base64'));
  });
  return found;
}

async function findValue(place: OpenCluster, topic: ComparedTopic, wanted: string): Promise<unknown> {
  let found: unknown = null;
  await readCompared(place, topic, (key, value) => {
    if (key === wanted) found = value;
  });
  return found;
}

async function readCompared(
  place: OpenCluster,
  topic: ComparedTopic,
  onValue: (key: string, value: object | null, bytes: Buffer) => void,
): Promise<void> {
  await readValues(topic, place, (key, value, record) => {
    const isTransition = topic === 'match-transitions' && value !== null;
    const name = isTransition ? (value as MatchTransition).id : key;
    // The same schema may have another id at another registry.
    onValue(name, value, record.value?.subarray(HEADER_BYTES) ?? NO_BYTES);
  });
}

/** A value as canonical JSON, without what is left out. */
function textOf(value: object, without: readonly string[]): string {
  const copy = structuredClone(value) as Record<string, unknown>;
  for (const path of without) {
    const [name = '', inner] = path.split('.');
    if (inner === undefined) delete copy[name];
    else if (typeof copy[name] === 'object' && copy[name] !== null)
      delete (copy[name] as Record<string, unknown>)[inner];
  }
  return canonicalJson(copy);
}

/** Keys in the order a person expects: the numbers in them by their size. */
function byNumbers(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
