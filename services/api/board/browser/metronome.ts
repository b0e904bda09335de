/** Ticks for a page, as a worker: browsers slow the timers of a page that is hidden, and not those of its workers. */
const EVERY_MS = 100;

setInterval(() => postMessage(null), EVERY_MS);
