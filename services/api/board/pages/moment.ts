import { type Html, html } from './html.ts';

/** When markup is rendered, and for what. */
export type Moment = {
  /** Unix seconds. */
  readonly now: number;
  /**
   * Whether the page withdraws it as soon as heartbeats are missing. Otherwise it may be viewed for any time, and must not say that a
   * match is safe.
   */
  readonly isLive: boolean;
};

/** Renders what holds only while heartbeats arrive, and what stands in its place without them: `states.css` hides one of both. */
export function whileConnected({ isLive }: Moment, current: Html | string, withdrawn: Html | string): Html {
  if (!isLive) return html`${current}`;
  return html`<span class="current">${current}</span><span class="withdrawn">${withdrawn}</span>`;
}

/** What a page says of a state that it could read only from the server. */
export const NO_WORD = 'no word from the server';
