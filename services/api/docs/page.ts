/** Renders the reference as a page that works without a script. Pure. */
import { headHtml, wholeDocument } from '../board/pages/layout.ts';
import { type Html, html, optionsHtml } from '../board/shared/html.ts';
import {
  REFERENCE_ERRORS,
  type ReferenceGroup,
  type ReferenceOperation,
  type ReferenceParameter,
} from './reference.ts';

type DocsPage = {
  readonly title: string;
  readonly version: string;
  readonly groups: readonly ReferenceGroup[];
  /** Whether the live board is served too. */
  readonly board: boolean;
};

const COPY = html`<button type="button" class="copy" hidden>Copy</button>`;

/** Renders the whole page, without inline script or style. Its script shows the forms for sending requests. */
export function docsPage({ title, version, groups, board }: DocsPage): string {
  const body = html`${headHtml('docs', board)}
<div class="docs">
<details class="contents" open><summary>Contents</summary>
<div role="search"><label class="field" hidden><span>Search</span><input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="Path, parameter or field"></label>
<p id="found" class="small" role="status"></p></div>
${contentsHtml(groups)}</details>
<main id="main" tabindex="-1"><h1>${title} <small class="small">${version}</small></h1>
${startHtml()}${conventionsHtml()}${errorsHtml()}${groups.map(groupHtml)}
</main>
</div>`;
  const head = { title: `${title} ${version}`, styles: ['docs.css'], script: 'docs/browser/try-it.js' };
  return wholeDocument(head, body);
}

function contentsHtml(groups: readonly ReferenceGroup[]): Html {
  return html`<nav aria-label="Contents"><ul>
<li><a href="#start">Getting started</a></li>
<li><a href="#conventions">Conventions</a></li>
<li><a href="#errors">Errors</a></li>
${groups.map(
  ({ title, operations }) =>
    html`<li><b>${title}</b><ul>${operations.map(({ name, path }) => html`<li><a href="#${name}">${path.replace('/v2', '')}</a></li>`)}</ul></li>`,
)}</ul></nav>`;
}

function startHtml(): Html {
  return html`<section class="part" aria-labelledby="start"><h2 id="start">Getting started</h2>
<div class="about">
<p>Get a token with the credentials of your client, and send it as the query parameter <code>token</code> with every request. It is valid for an hour. The operator of this server gives you the credentials.</p>
<div class="code">${COPY}<pre class="commands" tabindex="0" aria-label="Commands"><code>curl 'http://localhost:8081/v2/oauth?client_id=1&amp;secret_key=SECRET_KEY'
curl 'http://localhost:8081/v2/livescore?token=TOKEN'</code></pre></div>
<p>URLs contain the token, also those in <code>next_page</code>: keep them out of logs and browser histories.</p>
</div>
<form id="token-form" class="panel try" hidden>
<h3>Try it here</h3>
<p class="small">With a token you can send every operation below from this page. The token stays in the memory of the page.</p>
<label class="field"><span>Client id</span><input name="client_id" inputmode="numeric" autocomplete="off" required></label>
<label class="field"><span>Secret key</span><input name="secret_key" type="password" autocomplete="off" required></label>
<button type="submit">Get a token</button>
<p id="token-state" class="small" role="status">No token yet.</p>
</form>
</section>`;
}

const CONVENTIONS: Readonly<Record<string, string>> = {
  Envelope:
    'Every answer is `{"api": {…}}`: the payload is `api.data`, never at the top level; `api.timestamp` is the time of the answer (Unix seconds); `api.method` has the operation’s name, the count of items and the page addresses.',
  'Effective parameters':
    '`api.method.parameters` shows, as text, every parameter that was in effect, defaults included. Unknown parameters are ignored; a known one that is sent twice is invalid.',
  Pages:
    '`limit` is one of a fixed list, `page` counts from 1. `api.method.total_items` counts the items of all pages; `api.method.next_page` is the address of the next one, empty on the last.',
  'Reading what changed':
    'Store `api.timestamp` and send it as `timestamp` next time. The boundary is inclusive: you may get a record twice but never miss one, so update by `id`.',
  Places:
    'Events are nested in `competitions[].seasons[].stages[].groups[].events[]`, and do not repeat the names of these levels.',
  Times:
    '`start_date` is `YYYY-MM-DD HH:MM` as the provider writes it; `date_from` and `date_to` are compared with it. `ut` is the time when the record was written, Unix seconds.',
  'Feed health':
    'The header `X-Feed-Health` has the state of each source and, for a request about one event, of its match, as `webhook=alive, match=stale;reason=silence`. Act on data only while the state is `alive` or `recovered`.',
  Contracts: 'Lists leave out records outside your contract; a request for one by id is answered with 403.',
};

function conventionsHtml(): Html {
  return html`<section class="part" aria-labelledby="conventions"><h2 id="conventions">Conventions</h2>
<dl class="terms">${Object.entries(CONVENTIONS).map(([name, text]) => html`<div><dt>${name}</dt><dd>${prose(text)}</dd></div>`)}</dl></section>`;
}

function errorsHtml(): Html {
  return html`<section class="part" aria-labelledby="errors"><h2 id="errors">Errors</h2>
<p>Every error is <code>{"api": {"ver", "timestamp", "error": {"message", "internal_code"}}}</code>. It repeats nothing of the request.</p>
<dl class="terms">${REFERENCE_ERRORS.map(
    ({ status, internalCode, message, cause, action }) =>
      html`<div id="error-${status}"><dt>${status} ${message} <span class="type small"><code>internal_code</code> ${internalCode}</span></dt><dd>${prose(cause)} <b>${action}</b></dd></div>`,
  )}</dl></section>`;
}

function groupHtml({ title, about, operations }: ReferenceGroup): Html {
  return html`<section class="group" aria-label="${title}"><h2>${title}</h2><p>${prose(about)}</p>
${operations.map(operationHtml)}</section>`;
}

function operationHtml(operation: ReferenceOperation): Html {
  const { name, path, summary, open, parameters, errors, request, answer, fields } = operation;
  return html`<section class="operation" data-name="${name}" aria-labelledby="${name}">
<h3 id="${name}"><a href="#${name}"><code><span class="method">GET</span> ${path}</code></a></h3>
<div class="about">
<p>${prose(summary)}</p>
<p class="small"><code>${name}</code> · ${open ? 'open, no token needed' : 'needs a token'}</p>
${parameters.length === 0 ? html`<p class="small">No parameters.</p>` : parametersHtml(name, parameters)}
<p class="small">Errors: ${errors.map((status) => html`<a href="#error-${status}">${status}</a> `)}</p>
<details class="small"><summary>${fields.length} fields of the answer<span class="visually-hidden"> of ${name}</span></summary>
<div class="scroll" role="region" tabindex="0" aria-label="Fields of ${name}"><table><thead><tr><th scope="col">Field of <code>api.data</code></th><th scope="col">Type</th></tr></thead>
<tbody>${fields.map(({ path: field, types }) => html`<tr><th scope="row"><code>${breakable(field)}</code></th><td>${types}</td></tr>`)}</tbody></table></div></details>
</div>
<div class="example">
${name === 'oauth' ? null : tryHtml(operation)}
<h4 class="small">Example</h4>
<div class="code"><button type="button" class="copy" data-curl="${request}" hidden>Copy as curl</button><pre class="request" tabindex="0" aria-label="Request of ${name}"><code>GET ${request}</code></pre></div>
<div class="code">${COPY}<pre class="answer" tabindex="0" aria-label="Answer of ${name}"><code>${answer}</code></pre></div>
<p class="small">Lists are cut short.</p>
</div>
</section>`;
}

/** Renders a path that may wrap after its dots. */
function breakable(path: string): Html {
  return html`${path.split('.').map((part, n) => html`${n > 0 && html`.<wbr>`}${part}`)}`;
}

function parametersHtml(operation: string, parameters: readonly ReferenceParameter[]): Html {
  return html`<dl class="terms" aria-label="Parameters of ${operation}">${parameters.map(
    ({ name, required, type, values, fallback, meaning }) =>
      html`<div><dt><code>${name}</code> <span class="type small">${type}${required && html` · <b>required</b>`}${fallback !== null && html` · default <code>${fallback}</code>`}</span></dt>
<dd>${prose(meaning)}${values.length > 0 && html` One of ${values.map((value, n) => html`${n > 0 && ', '}<code>${value}</code>`)}.`}</dd></div>`,
  )}</dl>`;
}

/** Renders the form for sending an operation, hidden until the script shows it. */
function tryHtml({ name, path, parameters, open }: ReferenceOperation): Html {
  return html`<form class="try" data-path="${path}" data-open="${open ? 'yes' : 'no'}" hidden>
<details><summary>Try it<span class="visually-hidden"> with ${name}</span></summary>
<div class="inputs">${parameters.map(inputHtml)}</div>
<button type="submit">Send</button>
<p class="sent small" role="status"></p>
<pre class="answer" tabindex="0" aria-label="Answer to your request of ${name}" hidden><code></code></pre>
</details></form>`;
}

function inputHtml({ name, in: location, required, values, example, fallback }: ReferenceParameter): Html {
  const needed = required && html` required`;
  const field =
    values.length > 0
      ? html`<select name="${name}"${needed}><option value="">${fallback ?? ''}</option>${optionsHtml(
          values.map((value) => [value, value]),
          example,
        )}</select>`
      : html`<input name="${name}" data-in="${location}" value="${example ?? ''}" placeholder="${fallback ?? ''}" autocomplete="off" spellcheck="false"${needed}>`;
  return html`<label class="field"><span>${name}</span>${field}</label>`;
}

/** Renders text; parts between backquotes become code. */
function prose(text: string): Html {
  return html`${text.split('`').map((part, n) => (n % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
