/** Calls a page back ten times a second, also where its own timers are slowed. */
import { scriptUrl } from './morph.ts';

const OWN_EVERY_MS = 200;

/** Calls `look` for as long as the page lives, and before a page that slept or was hidden is seen again. */
export function everyTick(look: () => void): void {
  setInterval(look, OWN_EVERY_MS);
  for (const event of ['visibilitychange', 'resume']) document.addEventListener(event, look);
  addEventListener('pageshow', look);
  const url = scriptUrl(new URL('./metronome.js', import.meta.url).href);
  new Worker(url, { type: 'module' }).addEventListener('message', look);
}
