import { ERRORS } from '#errors/catalogue.ts';

const HEAD = `# Errors

For operators and engineers of Touchline: every error code, its meaning and what to do. A log line has the
class as \`err.type\` and the code as \`err.code\`.

\`npm run generate\` creates this page from the registry in \`libs/errors\`. A code in lower case is on a topic, in a label of a
metric or in an HTTP answer, and is a contract: \`PoisonError\` in \`dead-letters\` and \`touchline_dead_letters_total{code}\`, \`ExchangeError\`
in the answer of the token exchange, \`ToolError\` in the answer of a tool; metrics of the poller have codes of \`ProviderError\` in lower case. [The REST
reference](rest.md) has the status and the body of each \`RestError\`.
`;

/** Classes whose codes a contract carries, in lower case. */
const PUBLISHED: ReadonlySet<string> = new Set([
  'PoisonError',
  'ExchangeError',
  'ToolError',
] satisfies (keyof typeof ERRORS)[]);

/** Returns the whole page docs/reference/errors.md. */
export function renderErrorsDoc(): string {
  const classes: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>> = ERRORS;
  const rows = Object.entries(classes).flatMap(([kind, codes]) =>
    Object.entries(codes).map(([code, [meaning, action]]) => {
      const shown = PUBLISHED.has(kind) ? code.toLowerCase() : code;
      return `| ${kind} | \`${shown}\` | ${meaning} | ${action} |`;
    }),
  );
  return `${[HEAD, '| class | code | meaning | what to do |', '|---|---|---|---|', ...rows].join('\n')}\n`;
}
