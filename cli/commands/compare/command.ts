/** `touchline compare`: whether two prefixes hold the same. */
import { shownBrokers } from '#streams/client/brokers.ts';
import { findTopics } from '#topics/admin.ts';
import { type Command, parseArguments, UsageError } from '../../command.ts';
import { findPlace, type Place } from '../../place.ts';
import { lineShown } from '../../values.ts';
import { compare, type FirstDifference, type TopicComparison } from './compare.ts';
import { COMPARED, LEVELS, type Level } from './fields.ts';

const HELP = `Usage: touchline compare <prefix a> <prefix b> [--level <level>] [--json]

Says whether two prefixes hold the same match states, incidents, transitions, results and tables, read committed, up to their
ends as of now; and shows the first difference of each topic, field by field.

  --level bytes  every field
  --level log    (default) all but what names the log and its transactions: partition and offset of causes; version, cause and
                 ut of tables; version and cause of results
  --level state  also without version and cause of states and incidents, and without transitions: what does not depend on the
                 order of messages
  --json         one JSON value with the counts and the first differences

The broker is that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else the one that touchline up or demo runs here.
Exit code: 0 the same, 1 different, 2 could not be compared.
`;

const EXIT = { same: 0, different: 1, failed: 2 } as const;
/** Fields of a difference that are shown. */
const MOST_FIELDS = 20;
const MOST_TEXT = 200;

/** Compares two prefixes. */
export const compareCommand: Command = {
  name: 'compare',
  help: HELP,
  failedCode: EXIT.failed,
  async run(args) {
    const { prefixes, level, json } = parse(args);
    const [a, b] = prefixes.map((TOPIC_PREFIX): Place => ({ ...findPlace(process.env), TOPIC_PREFIX }));
    if (a === undefined || b === undefined) throw new UsageError('name two prefixes');
    for (const place of [a, b]) await requireTopics(place);
    const found = await compare(a, b, level);
    const isSame = found.every(({ first }) => first === null);
    process.stdout.write(
      json ? `${JSON.stringify({ same: isSame, level, topics: found })}\n` : render(prefixes, level, found),
    );
    return isSame ? EXIT.same : EXIT.different;
  },
};

async function requireTopics({ KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix }: Place): Promise<void> {
  const there = await findTopics({ brokers, prefix });
  const missing = COMPARED.filter((topic) => !there.has(topic));
  if (missing.length > 0)
    throw new UsageError(`there is no ${prefix}${missing[0]} at ${shownBrokers(brokers)}`);
}

type Parsed = { readonly prefixes: readonly string[]; readonly level: Level; readonly json: boolean };

function parse(args: readonly string[]): Parsed {
  const options = {
    level: { type: 'string', default: 'log' },
    json: { type: 'boolean', default: false },
  } as const;
  const { values, positionals } = parseArguments(args, { options, allowPositionals: true });
  const level = LEVELS.find((known) => known === values.level);
  if (level === undefined) throw new UsageError(`--level must be one of ${LEVELS.join(', ')}`);
  if (positionals.length !== 2) throw new UsageError('name two prefixes');
  return { prefixes: positionals, level, json: values.json };
}

/** Counts of each topic, and the first difference of each that has one. */
function render(prefixes: readonly string[], level: Level, found: readonly TopicComparison[]): string {
  const rows = [
    ['', ...prefixes, 'only left', 'only right', 'different'],
    ...found.map(({ topic, a, b, onlyA, onlyB, different }) => [
      topic,
      ...[a, b, onlyA, onlyB, different].map(String),
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const table = rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  const differences = found.flatMap(({ topic, first }) =>
    first === null ? [] : ['', ...renderFirst(topic, prefixes, first)],
  );
  const isSame = differences.length === 0;
  const verdict = isSame ? `the same (level ${level})` : `different (level ${level})`;
  return `${[...table, ...differences, '', verdict].join('\n')}\n`;
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
