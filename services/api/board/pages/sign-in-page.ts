import { html } from '../shown/html.ts';
import { document } from './layout.ts';

/**
 * Asks for the credentials of a client, and lets whoever has a session end it. `to`: the path that is shown after it. `problem`: what was
 * wrong with the last try. `clientId`: whose session this is.
 */
export function signInPage(to: string, problem: string | null, clientId: number | null): string {
  const content = html`<h1>Sign in</h1>
${clientId !== null && html`<form class="sign-in" method="post" action="/sign-out"><p>Signed in as client ${clientId}.</p><button>Sign out</button></form>`}
<form class="sign-in" method="post" action="/sign-in">
<p>The board shows what the contract of a client covers.</p>
${problem !== null && html`<p class="mark halted" role="alert">${problem}</p>`}
<input type="hidden" name="to" value="${to}">
<label class="field">Client id<input name="client_id" inputmode="numeric" autocomplete="username" required></label>
<label class="field">Secret key<input name="secret_key" type="password" autocomplete="current-password" required></label>
<button>Sign in</button>
</form>`;
  return document({ title: 'Sign in', style: 'sign-in.css', content });
}
