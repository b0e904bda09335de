/** Returns a function that runs at most `limit` tasks at once: further ones wait in a queue. It rejects as its task. */
export function limiter(limit: number) {
  let free = limit;
  const queue: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      // Passes the slot to the next task, so that no new task can take it before.
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
