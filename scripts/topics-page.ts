/** Renders docs/reference/topics.md: the prose of topics-page.md with its tables, made of the table of topics and the schemas. */
import { readFileSync } from 'node:fs';
import { GUARD_REASONS } from '#domain/guard.ts';
import { TRANSITION_KINDS } from '#domain/transitions.ts';
import { topicSettings } from '#topics/admin.ts';
import type { AvroField, AvroRecord, AvroSchema, Schemas } from '#topics/codec.ts';
import { TOPIC_NAMES, TOPICS, type TopicName } from '#topics/topics.ts';

const TEMPLATE = new URL('./topics-page.md', import.meta.url);
const DAY = 86_400_000;
const FIELD_HEAD = ['field', 'type', 'meaning'];
/** Internal topics of a service: no contract, so the page does not list their fields. */
const SERVICE_MEMORY: ReadonlySet<TopicName> = new Set<TopicName>([
  'clients',
  'access-tokens',
  'operator-orders',
  'standings-results',
  'webhook-times',
  'webhook-progress',
  'ingress-status',
  'poller-checkpoints',
]);

const CONTRACTS = TOPIC_NAMES.filter((topic) => !SERVICE_MEMORY.has(topic));

/** Returns the whole page. Throws when the prose names an unknown part, or omits one. */
export function renderTopicsDoc(schemas: Schemas): string {
  const parts = new Map<string, string>([
    ['topics', topicsTable()],
    ['fields', CONTRACTS.map((topic) => topicSection(topic, schemas)).join('\n')],
    [
      'internal',
      `${TOPIC_NAMES.filter((topic) => SERVICE_MEMORY.has(topic))
        .map((topic) => `[\`${topic}\`](../../schemas/${topic}.avsc)`)
        .join(', ')}\n`,
    ],
    ['shared', sharedTable(schemas)],
    ['guard-reasons', wordsTable('reason', GUARD_REASONS)],
    ['transition-kinds', wordsTable('kind', TRANSITION_KINDS)],
  ]);
  const used = new Set<string>();
  const page = readFileSync(TEMPLATE, 'utf8').replace(/^\{\{([a-z-]+)\}\}\n/gm, (_, name: string) => {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`topics-page.md asks for {{${name}}}, which does not exist`);
    used.add(name);
    return part;
  });
  for (const name of parts.keys())
    if (!used.has(name)) throw new Error(`topics-page.md leaves out {{${name}}}`);
  return page;
}

function topicsTable(): string {
  const rows = TOPIC_NAMES.map((topic) => {
    const { about, key, partitions, cleanup, retentionMs } = TOPICS[topic];
    const kept = cleanup === 'compact' ? 'the latest of each key' : days(retentionMs);
    return [
      SERVICE_MEMORY.has(topic) ? `\`${topic}\`` : `[\`${topic}\`](#${topic})`,
      key,
      String(partitions),
      kept,
      about,
    ];
  });
  return table(['topic', 'key', 'partitions', 'kept', 'holds'], rows);
}

function topicSection(topic: TopicName, schemas: Schemas): string {
  const spec = TOPICS[topic];
  const schema = schemas.topics.get(topic);
  if (schema === undefined) throw new Error(`schemas/${topic}.avsc is missing`);
  const settings = Object.entries(topicSettings(spec)).map(([name, value]) => `\`${name}=${value}\``);
  return [
    `### ${topic}\n`,
    `${schema.doc ?? spec.about} Partition: ${spec.partitioning}. Made with ${settings.join(', ')}.\n`,
    fieldsTable(schema.fields, schemas.common),
  ].join('\n');
}

/** Renders the records that fields of several topics are made of, each with its fields, in one table. */
function sharedTable({ common }: Schemas): string {
  const rows = [...common.values()].flatMap(({ name, doc, fields }) => [
    [`**${name}**`, 'record', doc ?? ''],
    ...fieldRows(fields, common, `${name}.`),
  ]);
  return table(FIELD_HEAD, rows);
}

function fieldsTable(fields: readonly AvroField[], common: Schemas['common']): string {
  return table(FIELD_HEAD, fieldRows(fields, common, ''));
}

/**
 * Returns the rows of a record's fields; those of a record that no other topic has follow the field, as `clock.time`. Neighbours
 * whose names say all share a row for each type.
 */
function fieldRows(inside: readonly AvroField[], common: Schemas['common'], path: string): string[][] {
  const rows: string[][] = [];
  let shared = new Map<string, string[]>();
  for (const { name, type, doc } of inside) {
    const [field, kind] = [`\`${path}${name}\``, typeText(type)];
    const own = recordsIn(type).filter((record) => !common.has(record.name));
    const saysAll = doc === undefined && own.length === 0;
    const before = shared.get(kind);
    if (!saysAll) shared = new Map();
    else if (before !== undefined) {
      before[0] += `, ${field}`;
      continue;
    }
    const row = [field, kind, doc ?? ''];
    if (saysAll) shared.set(kind, row);
    rows.push(row, ...own.flatMap((record) => fieldRows(record.fields, common, `${path}${name}.`)));
  }
  return rows;
}

function typeText(schema: AvroSchema): string {
  if (typeof schema === 'string') return schema;
  if (Array.isArray(schema)) {
    const types = schema.filter((type) => type !== 'null').map(typeText);
    return [...types, ...(schema.includes('null') ? ['null'] : [])].join(' or ');
  }
  if (schema.type === 'array') return `array of ${typeText(schema.items)}`;
  if (schema.type === 'map') return `map of ${typeText(schema.values)}`;
  if (schema.type === 'long') return schema.logicalType;
  if (schema.type === 'enum') return schema.symbols.map((symbol) => `\`${symbol}\``).join(', ');
  return schema.name;
}

/** Returns the records that values of a type are made of. */
function recordsIn(schema: AvroSchema): AvroRecord[] {
  if (typeof schema === 'string') return [];
  if (Array.isArray(schema)) return schema.flatMap(recordsIn);
  if (schema.type === 'array') return recordsIn(schema.items);
  if (schema.type === 'map') return recordsIn(schema.values);
  return schema.type === 'record' ? [schema] : [];
}

function wordsTable(word: string, meanings: Readonly<Record<string, string>>): string {
  return table(
    [word, 'meaning'],
    Object.entries(meanings).map(([name, meaning]) => [`\`${name}\``, meaning]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(' | ')} |`;
  return `${[line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')}\n`;
}

/** Escapes characters that end a table cell or begin a tag; `<` is safe in code. */
function escapeCell(text: string): string {
  const escaped = text.split('`').map((part, at) => (at % 2 === 0 ? part.replaceAll('<', '&lt;') : part));
  return escaped.join('`').replaceAll('|', '\\|');
}

function days(ms: number): string {
  return ms === DAY ? '1 day' : `${ms / DAY} days`;
}
