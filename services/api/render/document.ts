/** The OpenAPI document as a page that can be read without a script. Pure. */
import type {
  JsonSchema,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
} from '#contract/rest/openapi.ts';

/** The style of the page, to be allowed by its hash. */
export const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h2 { margin-top: 2.5rem; } code { font-family: ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .25rem .75rem .25rem 0; vertical-align: top; border-bottom: 1px solid #8886; }
.wide { overflow-x: auto; } .note { border-left: .25rem solid #b60; padding-left: .75rem; }
`;

/** The whole page; `board` is whether the live board is served beside it. */
export function renderDocument(document: OpenApiDocument, board: boolean): string {
  const boardLink = board ? ' The live board: <a href="/">matches</a>.' : '';
  const operations = Object.entries(document.paths).map(([path, { get }]) => ({ path, get }));
  const contents = operations
    .map(
      ({ path, get }) => `<li><a href="#${escaped(get.operationId)}"><code>${escaped(path)}</code></a></li>`,
    )
    .join('');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(document.info.title)} ${escaped(document.info.version)}</title><style>${STYLE}</style></head><body>
<main><h1>${escaped(document.info.title)} <small>${escaped(document.info.version)}</small></h1>
<p>${prose(document.info.description)}</p>
<p>The same for programs: <a href="/openapi.json">OpenAPI 3.1</a>.${boardLink}</p>
<nav aria-label="Operations"><ul>${contents}</ul></nav>
${operations.map(({ path, get }) => section(path, get)).join('\n')}
</main></body></html>`;
}

function section(path: string, operation: OperationObject): string {
  const { operationId, summary, description, security, parameters, responses } = operation;
  const note = description === undefined ? '' : `<p class="note">${prose(description)}</p>`;
  const access = security.length === 0 ? 'Open: no token needed.' : 'Needs a token.';
  const answers = Object.entries(responses)
    .map(([status, answer]) => `<li><code>${escaped(status)}</code> ${prose(answer.description)}</li>`)
    .join('');
  return `<section aria-labelledby="${escaped(operationId)}"><h2 id="${escaped(operationId)}"><code>GET ${escaped(path)}</code></h2>
<p>${prose(summary)} <code>${escaped(operationId)}</code>. ${access}</p>${note}
${parameters.length === 0 ? '' : parameterTable(parameters)}<ul>${answers}</ul></section>`;
}

function parameterTable(parameters: readonly ParameterObject[]): string {
  const rows = parameters.map(
    ({ name, required, description, schema }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${required ? 'required' : ''}</td><td>${values(schema)}</td><td>${prose(description ?? '')}</td></tr>`,
  );
  return `<div class="wide"><table><thead><tr><th>Parameter</th><th></th><th>Values</th><th></th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function values(schema: JsonSchema): string {
  const { type, enum: allowed, default: fallback } = schema;
  const parts = [
    Array.isArray(allowed) ? allowed.map(String).join(', ') : typeof type === 'string' ? type : '',
    fallback === undefined ? '' : `default ${String(fallback)}`,
  ];
  return escaped(parts.filter((part) => part !== '').join('; '));
}

/** Text with its \`code\`. */
function prose(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
