/** Starts an api for the benches. */
import { join } from 'node:path';
import { freePort } from '#embedded/ports.ts';
import type { BenchCredentials } from './api-topics.ts';
import { type BenchContext, connectionEnv } from './context.ts';
import { answered, type Running, startService } from './processes.ts';

const CLIENTS_KEY = 'the key of the bench, long enough for it';

/** A ready replica. */
export type ReadyApi = {
  readonly process: Running;
  readonly port: number;
  /** Time from the start of the process until it was ready, milliseconds. */
  readonly readyMs: number;
  /** Cpu time until then, seconds. */
  readonly readyCpu: number;
};

/**
 * Starts an api on the topics of a prefix, and waits until it is ready. Its views are in `folder`, which stays
 * afterwards.
 */
export async function startApi(
  context: BenchContext,
  prefix: string,
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ReadyApi> {
  const port = await freePort();
  const startedAt = performance.now();
  const env = {
    ...connectionEnv(context, prefix),
    DATA_DIR: join(context.dir, folder),
    API_PORT: String(port),
    CLIENTS_KEY,
    API_BOARD: 'on',
    ...settings,
  };
  const process = startService('api', context.dir, env);
  await answered(port, '/health/ready');
  const readyMs = performance.now() - startedAt;
  return { process, port, readyMs, readyCpu: await process.cpuSeconds() };
}

/** Returns a token of the served contract. */
export async function tokenOf(port: number, { id, secret }: BenchCredentials): Promise<string> {
  const body = await answered(port, `/v2/oauth?client_id=${id}&secret_key=${secret}`);
  return JSON.parse(body.toString()).api.data.token;
}
