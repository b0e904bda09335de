import { hash } from 'node:crypto';
import type { MatchTransition } from '#records/types.ts';
import { HEADER_BYTES } from '#topics/codec.ts';
import { follow } from '#topics/follow.ts';
import { findCluster, type OpenCluster, openCluster, requireTopics } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { escapeLine } from '../../values.ts';
import type { command } from './command.ts';
import { COMPARED, type ComparedTopic, type ComparisonLevel, comparedAt, comparedText } from './fields.ts';

/** Maximum number of keys to show of a topic. */
const MAX_KEYS = 20;

export async function run(...[left, right, { level, json }]: GivenTo<typeof command>): Promise<number> {
  const cluster = findCluster(process.env);
  const [a, b] = [openCluster({ ...cluster, prefix: left }), openCluster({ ...cluster, prefix: right })];
  for (const side of [a, b]) await requireTopics(side, COMPARED);
  const topics = await compare(a, b, level);
  const isSame = topics.every(({ differing }) => differing.length === 0);
  const verdict = `${isSame ? 'the same' : 'different'} (level ${level})`;
  const text = json
    ? JSON.stringify({ same: isSame, level, topics })
    : [...topics.map(lineOf), verdict].join('\n');
  process.stdout.write(`${text}\n`);
  return isSame ? 0 : 1;
}

/** Returns how a topic compares, with the first keys that differ. */
function lineOf({ topic, compared, differing }: TopicComparison): string {
  if (differing.length === 0) return `${topic}: ${compared} keys, the same`;
  const more = differing.length > MAX_KEYS ? ` and ${differing.length - MAX_KEYS} more` : '';
  const shown = escapeLine(differing.slice(0, MAX_KEYS).join(', '));
  return `${topic}: ${differing.length} of ${compared} keys differ: ${shown}${more}`;
}

/** Comparison of one topic. */
type TopicComparison = {
  readonly topic: ComparedTopic;
  /** Number of keys that either side has; transitions count by their ids. */
  readonly compared: number;
  /** The keys that only one side has, or whose values differ: numbers in them by value. */
  readonly differing: readonly string[];
};

/** Compares the last value of each key, and each transition by its id, up to the current ends. Holds a digest of each record in memory. */
async function compare(a: OpenCluster, b: OpenCluster, level: ComparisonLevel): Promise<TopicComparison[]> {
  const found: TopicComparison[] = [];
  for (const topic of comparedAt(level)) {
    const [ofA, ofB] = await Promise.all([digests(a, topic, level), digests(b, topic, level)]);
    const keys = [...new Set([...ofA.keys(), ...ofB.keys()])];
    const differing = keys.filter((key) => ofA.get(key) !== ofB.get(key));
    differing.sort((x, y) => x.localeCompare(y, 'en', { numeric: true }));
    found.push({ topic, compared: keys.length, differing });
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
