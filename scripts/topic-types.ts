import type { AvroField, AvroNamed, AvroSchema, Schemas } from '#topics/codec.ts';

const EVENT_FIELD = 'EventField';
/** Maximum width of a line that has a field and its doc. */
const MAX_WIDTH = 110;

const PRIMITIVES: Readonly<Record<string, string>> = {
  null: 'null',
  boolean: 'boolean',
  int: 'number',
  long: 'number',
  float: 'number',
  double: 'number',
  string: 'string',
  bytes: 'Buffer',
};

/**
 * Renders the TypeScript types of all schemas, records in order of appearance, each once; then the value type of each topic. Enums are
 * unions in their fields, except the list of an event's fields, of which code needs more than their type.
 */
export function renderTypes(schemas: Schemas): string {
  const declared = new Map<string, string>();
  const declare = (schema: AvroNamed): void => {
    if (declared.has(schema.name)) return;
    declared.set(schema.name, '');
    const text =
      schema.type === 'enum' ? renderValues(schema) : `{\n${schema.fields.map(renderField).join('')}};\n`;
    const comment = schema.doc === undefined ? '' : `${docComment(schema.doc)}\n`;
    declared.set(schema.name, `${comment}export type ${schema.name} = ${text}`);
  };
  const renderField = ({ name, type, doc }: AvroField): string => {
    const [comment, field] = [docComment(doc), `${name}: ${renderType(type)};`];
    const line = `  ${comment} ${field}`;
    return comment === '' || line.length <= MAX_WIDTH
      ? `  ${[comment, field].join(' ').trim()}\n`
      : `  ${comment}\n  ${field}\n`;
  };
  const renderType = (schema: AvroSchema): string => {
    if (typeof schema === 'string') return PRIMITIVES[schema] ?? schema;
    if (Array.isArray(schema)) return schema.map(renderType).join(' | ');
    if (schema.type === 'array') return arrayOf(renderType(schema.items));
    if (schema.type === 'map') return `Record<string, ${renderType(schema.values)}>`;
    if (schema.type === 'long') return PRIMITIVES.long as string;
    if (schema.type === 'enum' && schema.name !== EVENT_FIELD) return unionOf(schema.symbols);
    declare(schema);
    return schema.name;
  };
  for (const schema of schemas.common.values()) declare(schema);
  for (const schema of schemas.topics.values()) declare(schema);
  const head = '// Generated from schemas/ by `npm run generate`. Do not edit.\n';
  return [head, ...declared.values(), renderTopicValues(schemas)].join('\n');
}

function renderValues({ name, symbols }: Extract<AvroNamed, { type: 'enum' }>): string {
  return `${unionOf(symbols)};\n\nexport const EVENT_FIELDS: readonly ${name}[] = [${symbols.map(quoted).join(', ')}];\n`;
}

function unionOf(symbols: readonly string[]): string {
  return symbols.map(quoted).join(' | ');
}

function quoted(symbol: string): string {
  return `'${symbol}'`;
}

function renderTopicValues({ topics }: Schemas): string {
  const values = Array.from(topics, ([topic, { name }]) => `  '${topic}': ${name};\n`);
  return `/** The type of each topic's value. */\nexport type TopicValues = {\n${values.join('')}};\n`;
}

function arrayOf(item: string): string {
  return item.includes('|') ? `(${item})[]` : `${item}[]`;
}

function docComment(doc: string | undefined): string {
  return doc === undefined ? '' : `/** ${doc} */`;
}
