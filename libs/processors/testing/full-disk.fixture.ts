/** Spills until a write fails at this process's file size limit, and prints the error as JSON. */
import { SpilledRecords } from '#processors/spilled-records.ts';

// Ignores the signal, so that the write fails instead of the process.
process.on('SIGXFSZ', () => {});
const store = new SpilledRecords<number>();
const value = Buffer.alloc(3_000, 'x');
try {
  for (let owner = 0; owner < 2_000; owner++) store.put(owner, { key: Buffer.from('k'), value });
} catch (error) {
  const { code, message } = error as Error & { code: string };
  process.stdout.write(JSON.stringify({ code, message }));
}
store.close();
