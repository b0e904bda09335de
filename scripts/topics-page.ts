/** Renders docs/reference/topics.md: the prose of topics-page.md with its tables, made of the table of topics and the schemas. */
import { readFileSync } from 'node:fs';
import { GUARD_REASONS } from '#domain/guard.ts';
import { TRANSITION_KINDS } from '#domain/transitions.ts';
import { DEAD_LETTER_CODES } from '#errors/catalogue.ts';
import { topicSettings } from '#topics/admin.ts';
import type { AvroField, AvroNamed, AvroRecord, AvroSchema, Schemas } from '#topics/schemas.ts';
import { TOPIC_NAMES, TOPICS, type TopicName } from '#topics/topics.ts';

const TEMPLATE = new URL('./topics-page.md', import.meta.url);
const DAY = 86_400_000;
/** Internal topics of a service: no contract, so the page does not list their fields. */
const SERVICE_MEMORY: ReadonlySet<TopicName> = new Set<TopicName>([
  'standings-results',
  'exchange-attempts',
  'tool-requests',
  'ended-sessions',
  'webhook-times',
  'alert-guards',
  'webhook-progress',
  'ingress-status',
  'poller-checkpoints',
]);

/** Returns the whole page. Throws when the prose names an unknown part, or omits one. */
export function renderTopicsDoc(schemas: Schemas): string {
  const parts = new Map<string, string>([
    ['topics', topicsTable()],
    ['fields', TOPIC_NAMES.map((topic) => topicSection(topic, schemas)).join('\n')],
    ['shared', [...schemas.common.values()].map((record) => recordSection(record, '###')).join('\n')],
    ['guard-reasons', wordsTable('reason', GUARD_REASONS)],
    ['transition-kinds', wordsTable('kind', TRANSITION_KINDS)],
    ['dead-letter-codes', wordsTable('code', DEAD_LETTER_CODES)],
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
    return [`[\`${topic}\`](#${topic})`, key, String(partitions), kept, about];
  });
  return table(['topic', 'key', 'partitions', 'kept', 'holds'], rows);
}

function topicSection(topic: TopicName, schemas: Schemas): string {
  const spec = TOPICS[topic];
  const schema = schemas.topics.get(topic);
  if (schema === undefined) throw new Error(`schemas/${topic}.avsc is missing`);
  const settings = Object.entries(topicSettings(spec)).map(([name, value]) => `\`${name}=${value}\``);
  const local = nestedRecords(schema).filter((record) => !schemas.common.has(record.name));
  return [
    `### ${topic}\n`,
    `${schema.doc ?? spec.about}\n`,
    `- key: ${spec.key}, as text`,
    `- partition: ${spec.partitioning}; ${spec.partitions} of them`,
    `- kept: ${keptText(topic)}`,
    `- made with: ${settings.join(', ')}\n`,
    ...(SERVICE_MEMORY.has(topic)
      ? [`No contract: a service keeps it for itself. Fields: \`schemas/${topic}.avsc\`.\n`]
      : [fieldsTable(schema.fields), ...local.map((record) => recordSection(record, '####'))]),
  ].join('\n');
}

function keptText(topic: TopicName): string {
  const { cleanup, retentionMs } = TOPICS[topic];
  if (cleanup === 'delete') return days(retentionMs);
  return `the latest record of each key, for ever; the tombstone of a deleted key for ${days(retentionMs)} more`;
}

function recordSection(record: AvroRecord, heading: string): string {
  return `${heading} ${record.name}\n\n${record.doc === undefined ? '' : `${record.doc}\n\n`}${fieldsTable(record.fields)}`;
}

function fieldsTable(fields: readonly AvroField[]): string {
  return table(
    ['field', 'type', 'meaning'],
    fields.map(({ name, type, doc }) => [`\`${name}\``, typeText(type), doc ?? '']),
  );
}

function typeText(schema: AvroSchema): string {
  if (typeof schema === 'string') return schema;
  if (Array.isArray(schema)) {
    const types = schema.filter((type) => type !== 'null').map(typeText);
    return [...types, ...(schema.includes('null') ? ['null'] : [])].join(' or ');
  }
  if (schema.type === 'array') return `array of ${typeText(schema.items)}`;
  if (schema.type === 'map') return `map of ${typeText(schema.values)}`;
  if (schema.type === 'enum') return schema.symbols.map((symbol) => `\`${symbol}\``).join(', ');
  return schema.name;
}

/** Returns the nested records, each once, in order of appearance. */
function nestedRecords(root: AvroRecord): AvroRecord[] {
  const found = new Map<string, AvroRecord>();
  const visit = (schema: AvroSchema): void => {
    if (typeof schema === 'string') return;
    if (Array.isArray(schema)) schema.forEach(visit);
    else if (schema.type === 'array') visit(schema.items);
    else if (schema.type === 'map') visit(schema.values);
    else if (isRecord(schema)) {
      found.set(schema.name, schema);
      for (const field of schema.fields) visit(field.type);
    }
  };
  for (const field of root.fields) visit(field.type);
  return [...found.values()];
}

function isRecord(schema: AvroNamed): schema is AvroRecord {
  return schema.type === 'record';
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
