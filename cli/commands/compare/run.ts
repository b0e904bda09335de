import { findCluster, openCluster, requireTopics } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { type TextColumn, tableText } from '../../table.ts';
import { escapeLine } from '../../values.ts';
import type { command } from './command.ts';
import { compare, type TopicComparison } from './compare.ts';
import { COMPARED, type ComparisonLevel } from './fields.ts';

/** Maximum number of keys to show of a topic. */
const MAX_KEYS = 20;

export async function run(...[left, right, { level, json }]: GivenTo<typeof command>): Promise<number> {
  const cluster = findCluster(process.env);
  const [a, b] = [openCluster({ ...cluster, prefix: left }), openCluster({ ...cluster, prefix: right })];
  for (const side of [a, b]) await requireTopics(side, COMPARED);
  const found = await compare(a, b, level);
  const isSame = found.every(({ keys }) => keys.length === 0);
  process.stdout.write(
    json
      ? `${JSON.stringify({ same: isSame, level, topics: found })}\n`
      : render([left, right], level, found),
  );
  return isSame ? 0 : 1;
}

/** Renders the counts of each topic, and the first keys that differ. */
function render(
  prefixes: readonly [left: string, right: string],
  level: ComparisonLevel,
  found: readonly TopicComparison[],
): string {
  const [left, right] = prefixes;
  const columns: TextColumn<TopicComparison>[] = [
    { head: 'topic', of: ({ topic }) => topic },
    { head: left, align: 'right', of: ({ a }) => a },
    { head: right, align: 'right', of: ({ b }) => b },
    { head: 'only left', align: 'right', of: ({ onlyA }) => onlyA },
    { head: 'only right', align: 'right', of: ({ onlyB }) => onlyB },
    { head: 'different', align: 'right', of: ({ different }) => different },
  ];
  const differences = found.flatMap(({ topic, keys }) => {
    if (keys.length === 0) return [];
    const more = keys.length > MAX_KEYS ? ` and ${keys.length - MAX_KEYS} more` : '';
    return `keys that differ in ${topic}: ${escapeLine(keys.slice(0, MAX_KEYS).join(', '))}${more}`;
  });
  const isSame = differences.length === 0;
  const verdict = isSame ? `the same (level ${level})` : `different (level ${level})`;
  return `${tableText(columns, found)}\n${[...differences, verdict].join('\n')}\n`;
}
