/** Formats records for `touchline tail`. */

import type { TopicRecord } from '#topics/follow.ts';
import { UsageError } from '../../command.ts';
import { summaryOf } from '../../summaries.ts';
import { escapeLine, jsonText } from '../../values.ts';

type Field = (decoded: TopicRecord) => string;

const FIELDS: Readonly<Record<string, Field>> = {
  topic: ({ topic }) => topic,
  partition: ({ partition }) => String(partition),
  offset: ({ offset }) => String(offset),
  time: ({ timestamp }) => new Date(timestamp).toISOString(),
  key: ({ key }) => key,
  value: ({ value }) => (value === null ? '' : jsonText(value)),
  summary: ({ topic, value }) =>
    value === null ? '(no value: the key is deleted)' : summaryOf(topic, value as never),
};

/** Names that a format may contain, besides `value.` and the path of a field. */
const FIELD_NAMES = Object.keys(FIELDS);

/** Returns a function that fills the `{names}` of a format; `\t` and `\n` are a tab and a line end. Throws `UsageError`. */
export function formatter(format: string): Field {
  const parts = format
    .replaceAll('\\t', '\t')
    .replaceAll('\\n', '\n')
    .split(/\{([^{}]*)\}/);
  const fields = parts.map((part, at) => (at % 2 === 0 ? () => part : fieldNamed(part)));
  return (decoded) => fields.map((field) => field(decoded)).join('');
}

function fieldNamed(name: string): Field {
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (field !== undefined) return (decoded) => escapeLine(field(decoded));
  const [head, ...path] = name.split('.');
  if (head !== 'value' || path.length === 0)
    throw new UsageError(`--format has no {${name}}: it has {${FIELD_NAMES.join('}, {')}}, {value.<field>}`);
  return ({ value }) => {
    const found = path.reduce<unknown>(
      (of, step) =>
        typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[step] : undefined,
      value,
    );
    if (found === undefined || found === null) return '';
    return escapeLine(typeof found === 'string' ? found : jsonText(found));
  };
}
