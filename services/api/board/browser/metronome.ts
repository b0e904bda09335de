/** Ticks ten times a second, as a worker: browsers slow the timers of a hidden page, but not those of its workers. */
const TICK_MS = 100;

setInterval(() => postMessage(null), TICK_MS);
