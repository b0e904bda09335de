/** Sends operations from the reference, with a token that is kept only in memory. */
import '../../board/browser/appearance.ts';
import { colourJson, offerCopies } from './code.ts';
import { markCurrent, offerSearch } from './contents.ts';

const tokenForm = document.querySelector<HTMLFormElement>('#token-form');
const tokenState = document.querySelector<HTMLElement>('#token-state');
let token: string | null = null;

/** `status` 0: the server cannot be reached. `ms`: duration of the request. */
type TimedAnswer = { readonly status: number; readonly text: string; readonly ms: number };

for (const form of document.querySelectorAll<HTMLFormElement>('form.try')) form.hidden = false;
// On a narrow screen the contents would push the reference out of view.
if (matchMedia('(max-width: 62rem)').matches) document.querySelector('.contents')?.removeAttribute('open');

tokenForm?.addEventListener('submit', (event) => {
  event.preventDefault();
  void exchange(fieldsOf(tokenForm));
});
for (const form of document.querySelectorAll<HTMLFormElement>('form.try[data-path]')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}
offerCopies();
offerSearch();
markCurrent();
for (const code of document.querySelectorAll('pre.answer > code')) colourJson(code);
void exchangeFromAddress();

/** Gets a token with the credentials after the `#` of the address, and removes them there. Browsers do not send that part. */
async function exchangeFromAddress(): Promise<void> {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has('client_id') || !given.has('secret_key')) return;
  history.replaceState(null, '', location.pathname);
  await exchange(given);
}

async function exchange(credentials: URLSearchParams): Promise<void> {
  say(tokenState, 'Asking for a token …');
  const { status, text } = await get(`/v2/oauth?${credentials}`);
  if (status !== 200) {
    say(tokenState, status === 401 ? 'These credentials are wrong.' : `No token: status ${status}.`);
    return;
  }
  const { data } = JSON.parse(text).api;
  token = data.token;
  tokenForm?.reset();
  const until = new Date(data.token_expiration * 1000).toLocaleTimeString();
  say(tokenState, `Token of client ${data.client_id}, valid until ${until}.`);
}

async function send(form: HTMLFormElement): Promise<void> {
  const { path = '', open } = form.dataset;
  const state = form.querySelector<HTMLElement>('.sent');
  const output = form.querySelector<HTMLElement>('.answer');
  if (open === 'no' && token === null) {
    say(state, 'Get a token first, at the top of the page.');
    return;
  }
  const query = fieldsOf(form);
  const id = query.get('id') ?? '';
  query.delete('id');
  const address = `${path.replace('{id}', encodeURIComponent(id))}${query.size > 0 ? `?${query}` : ''}`;
  say(state, `GET ${address} …`);
  const withToken = token === null ? address : `${address}${query.size > 0 ? '&' : '?'}token=${token}`;
  const { status, text, ms } = await get(withToken);
  say(
    state,
    status === 0 ? 'No answer: the server cannot be reached.' : `GET ${address}: ${status} in ${ms} ms`,
  );
  if (output === null) return;
  output.hidden = text === '';
  const code = output.querySelector('code');
  if (code === null) return;
  code.textContent = indented(token === null ? text : text.replaceAll(token, 'TOKEN'));
  colourJson(code);
}

/** Requests a path of this server. */
async function get(path: string): Promise<TimedAnswer> {
  const started = performance.now();
  try {
    const response = await fetch(path, { cache: 'no-store', referrerPolicy: 'no-referrer' });
    const text = await response.text();
    return { status: response.status, text, ms: Math.round(performance.now() - started) };
  } catch {
    return { status: 0, text: '', ms: 0 };
  }
}

function fieldsOf(form: HTMLFormElement): URLSearchParams {
  const fields = Array.from(new FormData(form), ([name, value]) => [name, String(value)]);
  return new URLSearchParams(fields.filter(([, value]) => value !== ''));
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

function say(where: HTMLElement | null, words: string): void {
  if (where !== null) where.textContent = words;
}
