import { findCluster, openCluster, requireTopics } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { type TextColumn, tableText } from '../../table.ts';
import { escapeLine } from '../../values.ts';
import type { command } from './command.ts';
import { compare, type FirstDifference, type TopicComparison } from './compare.ts';
import { COMPARED, type ComparisonLevel } from './fields.ts';

/** Maximum number of fields to show of a difference. */
const MAX_FIELDS = 20;
/** Maximum length of a value to show. */
const MAX_TEXT = 200;

export async function run(...[left, right, { level, json }]: GivenTo<typeof command>): Promise<number> {
  const cluster = findCluster(process.env);
  const [a, b] = [openCluster({ ...cluster, prefix: left }), openCluster({ ...cluster, prefix: right })];
  for (const side of [a, b]) await requireTopics(side, COMPARED);
  const found = await compare(a, b, level);
  const isSame = found.every(({ first }) => first === null);
  process.stdout.write(
    json
      ? `${JSON.stringify({ same: isSame, level, topics: found })}\n`
      : render([left, right], level, found),
  );
  return isSame ? 0 : 1;
}

/** Renders the counts of each topic, and its first difference. */
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
  const differences = found.flatMap(({ topic, first }) =>
    first === null ? [] : ['', ...renderFirst(topic, prefixes, first)],
  );
  const isSame = differences.length === 0;
  const verdict = isSame ? `the same (level ${level})` : `different (level ${level})`;
  return `${tableText(columns, found)}${[...differences, '', verdict].join('\n')}\n`;
}

function renderFirst(
  topic: string,
  prefixes: readonly string[],
  { key, missing, fields }: FirstDifference,
): string[] {
  const head = `first difference in ${topic}, ${escapeLine(key)}`;
  if (missing !== null) return [`${head}: there is none in ${missing === 'a' ? prefixes[0] : prefixes[1]}`];
  const more = fields.length > MAX_FIELDS ? [`  … ${fields.length - MAX_FIELDS} fields more`] : [];
  return [
    `${head}:`,
    ...fields
      .slice(0, MAX_FIELDS)
      .flatMap(({ path, a, b }) => [`  ${escapeLine(path)}`, `    - ${shown(a)}`, `    + ${shown(b)}`]),
    ...more,
  ];
}

function shown(text: string | undefined): string {
  if (text === undefined) return '(no such field)';
  return escapeLine(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
}
