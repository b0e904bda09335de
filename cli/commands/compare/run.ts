import { findCluster, openCluster, requireTopics } from '../../cluster.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { type TextColumn, tableText } from '../../table.ts';
import { lineShown } from '../../values.ts';
import type { command } from './command.ts';
import { compare, type FirstDifference, type TopicComparison } from './compare.ts';
import { COMPARED, type ComparisonLevel, LEVELS } from './fields.ts';

const EXIT = { same: 0, different: 1, failed: 2 } as const;
const MOST_FIELDS = 20;
const MOST_TEXT = 200;

export async function run(given: GivenTo<typeof command>): Promise<number> {
  const { prefixes, level, json } = parse(given);
  const cluster = findCluster(process.env);
  const [a, b] = prefixes.map((prefix) => openCluster({ ...cluster, prefix }));
  if (a === undefined || b === undefined) throw new UsageError('name two prefixes');
  for (const place of [a, b]) await requireTopics(place, COMPARED);
  const found = await compare(a, b, level);
  const isSame = found.every(({ first }) => first === null);
  process.stdout.write(
    json ? `${JSON.stringify({ same: isSame, level, topics: found })}\n` : render(prefixes, level, found),
  );
  return isSame ? EXIT.same : EXIT.different;
}

function parse({ values, positionals }: GivenTo<typeof command>) {
  const level = LEVELS.find((known) => known === values.level);
  if (level === undefined) throw new UsageError(`--level must be one of ${LEVELS.join(', ')}`);
  if (positionals.length !== 2) throw new UsageError('name two prefixes');
  return { prefixes: positionals, level, json: values.json };
}

/** Counts of each topic, and the first difference of each that has one. */
function render(
  prefixes: readonly string[],
  level: ComparisonLevel,
  found: readonly TopicComparison[],
): string {
  const [left = '', right = ''] = prefixes;
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
  const head = `first difference in ${topic}, ${lineShown(key)}`;
  if (missing !== null) return [`${head}: there is none in ${missing === 'a' ? prefixes[0] : prefixes[1]}`];
  const more = fields.length > MOST_FIELDS ? [`  … ${fields.length - MOST_FIELDS} fields more`] : [];
  return [
    `${head}:`,
    ...fields
      .slice(0, MOST_FIELDS)
      .flatMap(({ path, a, b }) => [`  ${lineShown(path)}`, `    - ${shown(a)}`, `    + ${shown(b)}`]),
    ...more,
  ];
}

function shown(text: string | undefined): string {
  if (text === undefined) return '(no such field)';
  return lineShown(text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);
}
