/** What of a record is compared, and how two of them differ. Pure. */
import { parseJson } from '#contract/values.ts';
import type { TopicName } from '#topics/topics.ts';

export const COMPARED = [
  'match-state',
  'match-incidents',
  'match-transitions',
  'match-results',
  'standings',
  'standings-catalogue',
] as const satisfies readonly TopicName[];
export type ComparedTopic = (typeof COMPARED)[number];

/**
 * How exact: `bytes` leaves nothing out; `log` leaves out what names the log that was read and how it was cut into
 * transactions; `state` also what tells the order of messages, so that only what the laws promise is left (docs/decisions/0084).
 */
export const LEVELS = ['bytes', 'log', 'state'] as const;
export type ComparisonLevel = (typeof LEVELS)[number];

/** The position of a record in its input. */
const PLACE = ['cause.partition', 'cause.offset'];
/** Counted by transaction, and by whichever message was the last of one. */
const BY_TRANSACTION = ['version', 'ut', 'cause'];

const OF_LOG: Readonly<Record<ComparedTopic, readonly string[]>> = {
  'match-state': PLACE,
  'match-incidents': PLACE,
  'match-transitions': PLACE,
  'match-results': ['version', 'cause'],
  standings: BY_TRANSACTION,
  'standings-catalogue': BY_TRANSACTION,
};
const LEFT_OUT: Readonly<Record<ComparisonLevel, Partial<typeof OF_LOG>>> = {
  bytes: {},
  log: OF_LOG,
  state: { ...OF_LOG, 'match-state': ['version', 'cause'], 'match-incidents': ['version', 'cause'] },
};

/** The topics of a level: transitions depend on the order in which messages were processed. */
export function comparedAt(level: ComparisonLevel): readonly ComparedTopic[] {
  return COMPARED.filter((topic) => level !== 'state' || topic !== 'match-transitions');
}

export function leftOut(topic: ComparedTopic, level: ComparisonLevel): readonly string[] {
  return LEFT_OUT[level][topic] ?? [];
}

/** A value by its paths, without those that are left out; text that holds JSON is opened. */
export type Leaves = ReadonlyMap<string, string>;

/** The leaves of a decoded value: `score.home`, `fields.0.json.status_id`, each as JSON. */
export function leavesOf(value: unknown, without: readonly string[]): Leaves {
  const leaves = new Map<string, string>();
  const visit = (path: string, at: unknown): void => {
    if (without.includes(path)) return;
    const opened = typeof at === 'string' ? openJson(at) : at;
    if (typeof opened !== 'object' || opened === null || Buffer.isBuffer(opened)) {
      leaves.set(path, JSON.stringify(opened));
      return;
    }
    const entries = Object.entries(opened);
    if (entries.length === 0) leaves.set(path, Array.isArray(opened) ? '[]' : '{}');
    for (const [name, inner] of entries.sort(([a], [b]) => compareNames(a, b)))
      visit(path === '' ? name : `${path}.${name}`, inner);
  };
  visit('', value);
  return leaves;
}

/** One field that differs; undefined where a side does not have it. */
export type Difference = {
  readonly path: string;
  readonly a: string | undefined;
  readonly b: string | undefined;
};

/** The fields in which two values differ, in the order of `a`, then those that only `b` has. */
export function differencesOf(a: Leaves, b: Leaves): Difference[] {
  const paths = new Set([...a.keys(), ...b.keys()]);
  return [...paths]
    .map((path) => ({ path, a: a.get(path), b: b.get(path) }))
    .filter((difference) => difference.a !== difference.b);
}

function openJson(text: string): unknown {
  return text.startsWith('{') || text.startsWith('[') ? (parseJson(text) ?? text) : text;
}

function compareNames(a: string, b: string): number {
  const [one, other] = [Number(a), Number(b)];
  if (Number.isInteger(one) && Number.isInteger(other)) return one - other;
  return a < b ? -1 : a > b ? 1 : 0;
}
