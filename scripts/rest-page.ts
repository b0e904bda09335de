/** Renders docs/reference/rest.md. Pure. */
import { HEALTH_HEADER } from '#contract/rest/openapi.ts';
import {
  REFERENCE_ERRORS,
  type ReferenceGroup,
  type ReferenceOperation,
  type ReferenceParameter,
} from '../services/api/docs/reference.ts';

const HEAD = `# REST reference

For those who write a client: every operation with its parameters and errors, and a link to its example. The file of an example has the request, the answer with its lists
cut short, and the type of every field; \`npm run examples\` takes it from a running system. A running api serves all of it on one page at \`/docs\`, with forms to try it, and at
\`/openapi.json\` for programs. How to begin: [use the REST API](../guides/use-the-rest-api.md). How answers behave: [answers](rest-answers.md).
Made by \`npm run generate\` of the contract's definitions; do not edit it.

Every operation but \`oauth\` and the three open ones needs the query parameter \`token\`.

Every answer but that of a server error has the header \`${HEALTH_HEADER}\`, as \`feed=down;reason=network, webhook=alive, match=alive\`: the state of each
source and, where the request is about one event, of its match. Only \`alive\` and \`recovered\` are to be believed ([feed health](../guides/feed-health.md#over-rest-and-mcp)).
`;

/** Returns the whole page. */
export function referenceMarkdown(groups: readonly ReferenceGroup[]): string {
  const contents = groups.map(
    ({ title, operations }) =>
      `- ${title}: ${operations.map(({ name, path }) => `[\`${path}\`](#${anchor(name)})`).join(', ')}`,
  );
  return `${[HEAD, ...contents, '', errorsTable(), ...groups.map(groupText)].join('\n')}`;
}

function errorsTable(): string {
  const rows = REFERENCE_ERRORS.map(({ status, internalCode, message, cause, action }) =>
    row([String(status), String(internalCode), message, cause, action]),
  );
  return `## Errors

Every error is \`{"api": {"ver", "timestamp", "error": {"message", "internal_code"}}}\`. It repeats nothing of the request.

${table(['status', '`internal_code`', 'message', 'cause', 'what to do'], rows)}`;
}

function groupText({ title, about, operations }: ReferenceGroup): string {
  return [`## ${title}\n\n${about}\n`, ...operations.map(operationText)].join('\n');
}

function operationText(operation: ReferenceOperation): string {
  const { name, path, summary, note, open, parameters, errors, request } = operation;
  return [
    `### ${name}`,
    `\`GET ${path}\`: ${summary} ${open ? 'Open: no token needed. ' : ''}Errors: ${errors.join(', ')}.`,
    ...(note === null ? [] : [note]),
    ...(parameters.length === 0
      ? []
      : [table(['parameter', 'type', 'default', 'meaning'], parameters.map(parameterRow)).trimEnd()]),
    `[Example](../../services/api/docs/examples/${name}.json): \`${request}\``,
    '',
  ].join('\n\n');
}

function parameterRow({ name, required, type, values, fallback, meaning }: ReferenceParameter): string {
  const one = values.length === 0 ? '' : ` One of ${values.map((value) => `\`${value}\``).join(', ')}.`;
  return row([
    `\`${name}\``,
    required ? `${type}, required` : type,
    fallback === null ? '' : `\`${fallback}\``,
    `${meaning}${one}`,
  ]);
}

function table(head: readonly string[], rows: readonly string[]): string {
  return `${row(head)}\n${row(head.map(() => '---'))}\n${rows.join('\n')}\n`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Returns the anchor that GitHub makes from a heading. */
function anchor(name: string): string {
  return name.toLowerCase().replace(/[^\w-]/g, '');
}
