import { ERRORS } from '#errors/catalogue.ts';

const HEAD = `# Errors

For operators and engineers of Touchline: every error code, its meaning and what to do. A log line has the
class as \`err.type\` and the code as \`err.code\`.

\`npm run generate\` creates this page from the registry in \`libs/errors\`. A code in lower case is on a topic, in a label of a
metric or in an HTTP answer, and is a contract. [The REST reference](rest.md) has the status and the body of each \`RestError\`.
`;

/** Classes whose codes a contract carries, in lower case. */
const PUBLISHED: ReadonlySet<string> = new Set([
  'PoisonError',
  'ExchangeError',
  'ToolError',
] satisfies (keyof typeof ERRORS)[]);

/** Further words by which a reader may search for a class. */
const NOTES: Readonly<Partial<Record<keyof typeof ERRORS, string>>> = {
  PoisonError: 'A dead letter: the field `code` of `dead-letters`, and `touchline_dead_letters_total{code}`.',
  ExchangeError: 'The field `error` of the answer, and `touchline_exchange_seconds{outcome}`.',
  ToolError: 'The first word of the answer of a tool, and `touchline_mcp_call_seconds{outcome}`.',
  ProviderError:
    'The labels `code` and `outcome` of `touchline_poller_retries_total` and `touchline_poller_requests_total` have it in lower case.',
};

/** Returns the whole page docs/reference/errors.md. */
export function renderErrorsDoc(): string {
  const classes: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>> = ERRORS;
  const sections = Object.entries(classes).map(([kind, codes]) => {
    const note = NOTES[kind as keyof typeof ERRORS];
    const rows = Object.entries(codes).map(([code, [meaning, action]]) => {
      const shown = PUBLISHED.has(kind) ? code.toLowerCase() : code;
      return `| \`${shown}\` | ${meaning} | ${action} |`;
    });
    const head = ['| code | meaning | what to do |', '|---|---|---|'];
    return [`## ${kind}`, ...(note === undefined ? [] : [note]), [...head, ...rows].join('\n')].join('\n\n');
  });
  return `${[HEAD.trimEnd(), ...sections].join('\n\n')}\n`;
}
