/** Starts services whose requests to brokers are counted, and reads the counts. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { protocolAPIsById } from '@platformatic/kafka';
import { format } from './context.ts';
import { type Running, startService } from './processes.ts';

const HOOK = join(import.meta.dirname, 'request-hook.ts');
const WRITTEN_WITHIN_MS = 10_000;
const POLL_MS = 10;

/** Requests sent so far, by their name in Kafka's protocol. */
export type RequestCounts = ReadonlyMap<string, number>;

/** A running service that counts its requests. */
export type CountedService = {
  readonly name: string;
  readonly process: Running;
  counts(): Promise<RequestCounts>;
};

/** Starts a service as `startService` does, with a hook that counts its requests. */
export function startCounted(
  name: string,
  dir: string,
  env: Readonly<Record<string, string>>,
): CountedService {
  const file = join(dir, `requests-${randomUUID()}.json`);
  const process = startService(name, dir, { ...env, REQUEST_COUNTS_FILE: file }, ['--import', HOOK]);
  return {
    name,
    process,
    async counts() {
      await rm(file, { force: true });
      globalThis.process.kill(process.pid, 'SIGUSR2');
      for (const until = performance.now() + WRITTEN_WITHIN_MS; !existsSync(file); await delay(POLL_MS))
        if (performance.now() > until) throw new Error(`${name} wrote no counts of its requests`);
      const counts: Readonly<Record<string, number>> = JSON.parse(await readFile(file, 'utf8'));
      return new Map(
        Object.entries(counts).map(([key, count]) => [protocolAPIsById[Number(key)] ?? key, count]),
      );
    },
  };
}

/** Returns the requests between two readings. */
export function requestsBetween(before: RequestCounts, after: RequestCounts): RequestCounts {
  return new Map([...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)]));
}

/** Returns the number of all requests. */
export function totalOf(counts: RequestCounts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Describes counts divided by `per`, largest first; leaves out requests that round to nothing. */
export function describeRequests(counts: RequestCounts, per: number): string {
  return [...counts]
    .filter(([, count]) => count / per >= 0.005)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${format(count / per)}`)
    .join(', ');
}
