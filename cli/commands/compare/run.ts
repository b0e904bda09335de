import { findCluster, openCluster, requireTopics } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { escapeLine } from '../../values.ts';
import type { command } from './command.ts';
import { compare, type TopicComparison } from './compare.ts';
import { COMPARED } from './fields.ts';

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
