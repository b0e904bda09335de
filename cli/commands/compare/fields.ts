/** The topics and fields that are compared. Pure. */
import { canonicalJson } from '#json/canonical-json.ts';
import type { MatchResult, Standings } from '#records/types.ts';
import type { TopicName } from '#topics/topics.ts';

/** The topics that are compared. */
export const COMPARED = [
  'match-state',
  'match-incidents',
  'match-transitions',
  'match-results',
  'standings',
] as const satisfies readonly TopicName[];
export type ComparedTopic = (typeof COMPARED)[number];

/**
 * Levels of a comparison: `bytes` ignores nothing; `log` ignores what depends on the log and its transactions; `state` ignores
 * also what depends on the order of messages, and compares what the laws promise (docs/decisions/0084).
 */
export const LEVELS = ['bytes', 'log', 'state'] as const;
export type ComparisonLevel = (typeof LEVELS)[number];

/** The position of a record in its input. */
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
 * Returns a record without the ignored fields as canonical JSON; null for one that says that there is nothing (any more). A table or
 * a result that was there meanwhile leaves such a record, and whether it was there depends on the transactions: the last results
 * alone decide which tables exist (law S1).
 */
export function comparedText(topic: ComparedTopic, level: ComparisonLevel, value: object): string | null {
  if (isGone(topic, value)) return null;
  const copy = structuredClone(value) as Record<string, unknown>;
  for (const path of ignoredFields(topic, level)) {
    const [name = '', inner] = path.split('.');
    if (inner === undefined) delete copy[name];
    else if (typeof copy[name] === 'object' && copy[name] !== null)
      delete (copy[name] as Record<string, unknown>)[inner];
  }
  return canonicalJson(copy);
}

/** Whether a record says that its match has left the table, or that its table does not exist. */
function isGone(topic: ComparedTopic, value: object): boolean {
  if (topic === 'match-results') return (value as MatchResult).removed;
  return topic === 'standings' && (value as Standings).groups.length === 0;
}
