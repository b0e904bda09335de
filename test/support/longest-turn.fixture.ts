/**
 * Loaded before a service (`--import`). On SIGUSR2 it writes the longest CPU time of one turn of the event loop since
 * the last signal. CPU time, because a busy machine delays every turn.
 */
let longest = 0;
let last = process.threadCpuUsage();

setInterval(() => {
  const now = process.threadCpuUsage();
  longest = Math.max(longest, now.user - last.user + now.system - last.system);
  last = now;
}, 1).unref();

process.on('SIGUSR2', () => {
  process.stderr.write(`longest turn ${longest / 1_000} ms\n`);
  longest = 0;
});
