/** Spills until a write fails at this process's file size limit, and prints the error as JSON. */
import { setImmediate as turn } from 'node:timers/promises';
import { SpillStore } from '#processors/spill/spill-store.ts';

// Ignores the signal, so that the write fails instead of the process.
process.on('SIGXFSZ', () => {});
const store = new SpillStore(4096);
const value = Buffer.alloc(3_000, 'x');
const put = async () => {
  for (let owner = 0; owner < 1_000; owner++) {
    store.put(owner, [{ key: Buffer.from('k'), value }]);
    await turn();
  }
};
const error = await put().then(
  () => ({ code: 'none', cause: null }),
  ({ code, cause }: { code: string; cause: NodeJS.ErrnoException }) => ({ code, cause: cause.code }),
);
process.stdout.write(JSON.stringify({ ...error, kept: store.read(0)?.get('k')?.equals(value) ?? false }));
store.close();
