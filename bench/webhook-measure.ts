/** Runs the webhook generator against a server, and measures the cpu time. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { format } from './context.ts';
import type { Running } from './processes.ts';
import type { LoadOptions, LoadResult } from './webhook-load.ts';

/** A running server of webhooks. */
export type WebhookServer = { readonly name: string; readonly port: number; readonly process: Running };

/** A run of the generator, with cpu times per request, microseconds. */
export type MeasuredLoad = LoadResult & {
  /** Cpu time of the server's threads by name: WorkerThread belongs to Node, V8Worker collects garbage and compiles. */
  readonly threads: ReadonlyMap<string, number>;
  /** Cpu time of the server. */
  readonly process: number;
  /** Cpu time of the whole machine, including the broker and the generator. */
  readonly machine: number;
};

const TICKS_PER_SECOND = 100;

/** Runs the generator against a server. Throws when a delivery was refused. */
export async function measure(
  server: WebhookServer,
  options: Omit<LoadOptions, 'port'>,
): Promise<MeasuredLoad> {
  const before = { threads: await threadSeconds(server.process.pid), machine: machineSeconds() };
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'webhook-load.ts'),
    JSON.stringify({ ...options, port: server.port } satisfies LoadOptions),
  ]);
  const result: LoadResult = JSON.parse(stdout);
  if (result.refused > 0) throw new Error(`${server.name} refused ${result.refused} deliveries`);
  const aRequest = (seconds: number) => (seconds / result.accepted) * 1e6;
  const machine = aRequest(machineSeconds() - before.machine);
  const threads = new Map<string, number>();
  for (const [name, seconds] of await threadSeconds(server.process.pid)) {
    const used = aRequest(seconds - (before.threads.get(name) ?? 0));
    if (used >= 0.5) threads.set(name, used);
  }
  // Time for the broker's flush and for garbage collection before the next server's turn.
  await delay(500);
  return { ...result, threads, process: [...threads.values()].reduce((a, b) => a + b, 0), machine };
}

/** Formats a measurement as a line of the bench. */
export function lineOf({ perSecond, bytes, p50, p99, threads, cpu, machine }: MeasuredLoad): string {
  const times = [...threads].map(([name, used]) => `${name} ${format(used)}`).join(', ');
  return (
    `${format(perSecond)} requests/s of ${format(bytes)} bytes, p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms; ` +
    `processor time a request, µs: ${times}; generator ${format(cpu)}, whole machine ${format(machine)}`
  );
}

/** Returns the cpu time of a process's threads, added by name, seconds; empty when the system does not report it. */
async function threadSeconds(pid: number): Promise<Map<string, number>> {
  const seconds = new Map<string, number>();
  for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => null);
    const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(stat ?? '') ?? [];
    if (name === undefined || rest === undefined) continue;
    const fields = rest.split(' ');
    const used = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    seconds.set(name, (seconds.get(name) ?? 0) + used);
  }
  return seconds;
}

/** Returns the cpu time of all processes since the machine started, seconds. */
function machineSeconds(): number {
  return cpus().reduce(
    (sum, { times }) => sum + (times.user + times.nice + times.sys + times.irq) / 1_000,
    0,
  );
}
