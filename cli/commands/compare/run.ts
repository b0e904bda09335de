import { hash } from 'node:crypto';
import { canonicalJson } from '#json/canonical-json.ts';
import type { MatchResult, MatchTransition, Standings } from '#records/types.ts';
import { HEADER_BYTES } from '#topics/codec.ts';
import { follow } from '#topics/follow.ts';
import type { TopicName } from '#topics/topics.ts';
import { findCluster, type OpenCluster, openCluster, requireTopics } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { escapeLine } from '../../values.ts';
import type { ComparisonLevel, command } from './command.ts';

const MAX_KEYS = 20;

export async function run(...[left, right, { level, json }]: GivenTo<typeof command>): Promise<number> {
  const cluster = findCluster(process.env);
  const [a, b] = [openCluster({ ...cluster, prefix: left }), openCluster({ ...cluster, prefix: right })];
  for (const side of [a, b]) await requireTopics(side, COMPARED);
  const topics: TopicComparison[] = [];
  for (const topic of comparedAt(level)) topics.push(await compareTopic(a, b, topic, level));
  const isSame = topics.every(({ differing }) => differing.length === 0);
  const verdict = `${isSame ? 'the same' : 'different'} (level ${level})`;
  const text = json
    ? JSON.stringify({ same: isSame, level, topics })
    : [...topics.map(lineOf), verdict].join('\n');
  process.stdout.write(`${text}\n`);
  return isSame ? 0 : 1;
}

type TopicComparison = Awaited<ReturnType<typeof compareTopic>>;

function lineOf({ topic, compared, differing }: TopicComparison): string {
  if (differing.length === 0) return `${topic}: ${compared} keys, the same`;
  const more = differing.length > MAX_KEYS ? ` and ${differing.length - MAX_KEYS} more` : '';
  const shown = escapeLine(differing.slice(0, MAX_KEYS).join(', '));
  return `${topic}: ${differing.length} of ${compared} keys differ: ${shown}${more}`;
}

/**
 * Returns the number of keys that either side has, where transitions count by their ids; and those that only one side has, or whose
 * values differ, numbers in them by value.
 */
async function compareTopic(a: OpenCluster, b: OpenCluster, topic: ComparedTopic, level: ComparisonLevel) {
  const [ofA, ofB] = await Promise.all([digests(a, topic, level), digests(b, topic, level)]);
  const keys = [...new Set([...ofA.keys(), ...ofB.keys()])];
  const differing = keys
    .filter((key) => ofA.get(key) !== ofB.get(key))
    .sort((x, y) => x.localeCompare(y, 'en', { numeric: true }));
  return { topic, compared: keys.length, differing };
}

/** Returns the digest of the last value of each key, and of each transition by its id, up to the current ends. */
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

export const COMPARED = [
  'match-state',
  'match-incidents',
  'match-transitions',
  'match-results',
  'standings',
] as const satisfies readonly TopicName[];
export type ComparedTopic = (typeof COMPARED)[number];

const CAUSE_POSITION = ['cause.partition', 'cause.offset'];
/** Fields that depend on how messages were grouped into transactions. */
const BY_TRANSACTION = ['version', 'ut', 'cause'];

const OF_LOG: Readonly<Record<ComparedTopic, readonly string[]>> = {
  'match-state': CAUSE_POSITION,
  'match-incidents': CAUSE_POSITION,
  'match-transitions': CAUSE_POSITION,
  'match-results': ['version', 'cause'],
  standings: BY_TRANSACTION,
};
const IGNORED: Readonly<Record<ComparisonLevel, Partial<typeof OF_LOG>>> = {
  bytes: {},
  log: OF_LOG,
  state: { ...OF_LOG, 'match-state': ['version', 'cause'], 'match-incidents': ['version', 'cause'] },
};

/** Returns the topics that a level compares. Transitions depend on the order of messages: `state` skips them. */
export function comparedAt(level: ComparisonLevel): readonly ComparedTopic[] {
  return COMPARED.filter((topic) => level !== 'state' || topic !== 'match-transitions');
}

/** Returns the paths of the fields that a level ignores. */
export function ignoredFields(topic: ComparedTopic, level: ComparisonLevel): readonly string[] {
  return IGNORED[level][topic] ?? [];
}

/**
 * Returns a record without the ignored fields as canonical JSON; null for one that says that its match has left the table, or that its table does not exist. A table or
 * a result that was there meanwhile leaves such a record, and whether it was there depends on the transactions: the last results
 * alone decide which tables exist (law S1).
 */
export function comparedText(topic: ComparedTopic, level: ComparisonLevel, value: object): string | null {
  if (topic === 'match-results' && (value as MatchResult).removed) return null;
  if (topic === 'standings' && (value as Standings).groups.length === 0) return null;
  const copy = structuredClone(value) as Record<string, unknown>;
  for (const path of ignoredFields(topic, level)) {
    const [name = '', inner] = path.split('.');
    if (inner === undefined) delete copy[name];
    else delete (copy[name] as Record<string, unknown> | null)?.[inner];
  }
  return canonicalJson(copy);
}
