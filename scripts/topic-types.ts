import type { AvroField, AvroNamed, AvroSchema, Schemas } from '#topics/codec.ts';

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

/** Renders the TypeScript types of all schemas, named types in order of appearance, each once; then the value type of each topic. */
export function renderTypes(schemas: Schemas): string {
  const declared = new Map<string, string>();
  const declare = (schema: AvroNamed): void => {
    if (declared.has(schema.name)) return;
    declared.set(schema.name, '');
    declared.set(
      schema.name,
      schema.type === 'enum'
        ? `${docComment(schema.doc, '')}export type ${schema.name} = ${schema.symbols.map(quoted).join(' | ')};\n${renderValues(schema)}`
        : `${docComment(schema.doc, '')}export type ${schema.name} = {\n${schema.fields.map(renderField).join('')}};\n`,
    );
  };
  const renderField = (field: AvroField): string =>
    `${docComment(field.doc, '  ')}  ${field.name}: ${renderType(field.type)};\n`;
  const renderType = (schema: AvroSchema): string => {
    if (typeof schema === 'string') return PRIMITIVES[schema] ?? schema;
    if (Array.isArray(schema)) return schema.map(renderType).join(' | ');
    if (schema.type === 'array') return arrayOf(renderType(schema.items));
    if (schema.type === 'map') return `Record<string, ${renderType(schema.values)}>`;
    if (schema.type === 'long') return PRIMITIVES.long as string;
    declare(schema);
    return schema.name;
  };
  for (const schema of schemas.common.values()) declare(schema);
  for (const schema of schemas.topics.values()) declare(schema);
  const head = '// Generated from schemas/ by `npm run generate`. Do not edit.\n';
  return [head, ...declared.values(), renderTopicValues(schemas)].join('\n');
}

/** Renders the list of an event's fields, of which code needs more than their type. */
function renderValues({ name, symbols }: Extract<AvroNamed, { type: 'enum' }>): string {
  if (name !== 'EventField') return '';
  return `\nexport const EVENT_FIELDS: readonly EventField[] = [${symbols.map(quoted).join(', ')}];\n`;
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

function docComment(doc: string | undefined, indent: string): string {
  return doc === undefined ? '' : `${indent}/** ${doc} */\n`;
}
