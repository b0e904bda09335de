/** Runs every process of Touchline: settings, log, metrics and health, start, and a graceful stop. */

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { adviceOf, shortageOf } from '#errors/shortages.ts';
import { reasonOf, TouchlineError } from '#errors/touchline-error.ts';
import { makeFilesPrivate, makePrivateFolder } from '#security/folders.ts';
import { startTracing, stopTracing } from '#tracing/tracing.ts';
import { ConfigError, loadConfig, type processSettings, renderHelp, secretValues } from './config.ts';
import { createLogger, type Logger } from './logger.ts';
import {
  createMetrics,
  hostMetrics,
  type Registry,
  reportUnreadableRecords,
  spanCounter,
} from './metrics.ts';
import { watchOpenFiles } from './open-files.ts';
import { type Ops, startOps } from './ops.ts';
import { requireAccess } from './require-access.ts';
import { certificateFiles, serverTlsFiles } from './server-tls.ts';
import { onStopRequest } from './stop-requests.ts';
import { tracingOptions } from './tracing-settings.ts';

/** The context that a starting service receives. */
export type ServiceContext<Config> = {
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** Aborted when the service must stop, also while it starts. */
  readonly signal: AbortSignal;
  /** Aborted `DRAIN_MS` before `signal`. Until then the service still serves, but each answer closes its connection. */
  readonly draining: AbortSignal;
  /** Logs a fatal error and stops the service with exit code 1. */
  fail(error: unknown): void;
  /** Stops a service that has finished its work, with exit code 0. */
  finish(): void;
};

export type RunningService = {
  /** Whether the service does its work; answered at `/health/ready`. */
  ready(): boolean;
  /** Finishes pending work and releases everything. Called once. */
  stop(): Promise<void>;
};

/** Maximum wait for an aborted start. */
const ABORT_MS = 1_000;

type ProcessSpec = z.ZodObject<typeof processSettings>;

export type ServiceDefinition<Spec extends ProcessSpec> = {
  /** Name of its folder. */
  readonly name: string;
  /** Names of the services that run in its process. Default: its own. */
  readonly parts?: readonly string[];
  /** Description for `--help`, one sentence. */
  readonly about: string;
  readonly config: Spec;
  /** Timeout of a graceful stop, milliseconds. Default: 15,000. */
  readonly stopWithinMs?: number;
  start(context: ServiceContext<z.output<Spec>>): Promise<RunningService>;
};

/** Exit codes: 0 stopped on request, 1 failed, 2 wrong settings or arguments, 128 + n forced by signal n. */
const EXIT = { ok: 0, failed: 1, usage: 2 };

/** Runs a service until a stop request or a failure, then ends the process. `args`: `--help` prints the settings and returns. */
export async function runService<Spec extends ProcessSpec>(
  service: ServiceDefinition<Spec>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  if (wantsHelp(service, args)) return;
  const config = readConfig(service);
  if (config === undefined) return;
  makeFilesPrivate();
  const logger = createLogger({
    name: service.name,
    level: config.LOG_LEVEL,
    secrets: secretValues(service.config, config),
  });
  const metrics = createMetrics(service.name);
  const dataDir = 'DATA_DIR' in config ? String(config.DATA_DIR) : null;
  reportUnreadableRecords(metrics, logger);
  hostMetrics(metrics, certificateFiles(process.env), dataDir);
  const stopping = new AbortController();
  const draining = new AbortController();
  let exitCode = EXIT.ok;
  let running: RunningService | undefined;
  let ops: Ops | undefined;

  const fail = (error: unknown): void => {
    if (exitCode === EXIT.ok) logger.fatal({ err: error }, failureText(error));
    exitCode = EXIT.failed;
    stopping.abort(error);
  };
  onStopRequest({
    graceful: (reason) => {
      // Orchestrators send SIGTERM while they stop routing. Ctrl-C and the end of a parent stop at once.
      const drains = reason === 'SIGTERM' && 'DRAIN_MS' in config && running?.ready() === true;
      const drainMs = drains ? Number(config.DRAIN_MS) : 0;
      logger.info({ reason, drain_ms: drainMs }, 'stopping');
      draining.abort(reason);
      if (drainMs === 0) stopping.abort(reason);
      else setTimeout(() => stopping.abort(reason), drainMs);
    },
    force: (code) => {
      logger.warn('stopped by force');
      process.exit(code);
    },
  });
  // Node otherwise writes its warnings as text between the JSON lines.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => logger.warn({ err: warning }, 'warning of Node'));
  watchOpenFiles(logger);
  process.on('unhandledRejection', fail);
  process.on('uncaughtException', fail);

  const stopRequested = once(stopping.signal, 'abort');
  const begin = async (): Promise<void> => {
    if (dataDir !== null) makePrivateFolder(dataDir);
    ops = await startOps({
      port: config.METRICS_PORT,
      host: config.METRICS_HOST,
      tls: serverTlsFiles(config),
      metrics,
      ready: () => !draining.signal.aborted && !stopping.signal.aborted && running?.ready() === true,
      onFailure: (error) => logger.error({ err: error }, 'metrics failed'),
    });
    logger.info({ host: config.METRICS_HOST, port: ops.port }, 'metrics and health');
    await startTracing(tracingOptions(service.name, config), { log: logger, onSpans: spanCounter(metrics) });
    await requireAccess(service.parts ?? [service.name], config, { logger, signal: stopping.signal });
    if (stopping.signal.aborted) return;
    const finish = (): void => stopping.abort('finished');
    const signals = { signal: stopping.signal, draining: draining.signal };
    running = await service.start({ config, logger, metrics, ...signals, fail, finish });
    if (!stopping.signal.aborted) logger.info('started');
  };
  // An aborted start may throw; this is no failure.
  const begun = begin().catch((error: unknown) => {
    if (!stopping.signal.aborted) fail(error);
  });
  await stopRequested;

  const within = service.stopWithinMs ?? 15_000;
  const deadline = setTimeout(() => {
    logger.error({ within_ms: within }, 'did not stop in time');
    process.exit(EXIT.failed);
  }, within);
  // A start that ignores the signal, e.g. while it waits for a broker, does no work yet: it needs no long wait.
  await Promise.race([begun, delay(ABORT_MS, undefined, { ref: false })]);
  await running?.stop().catch(fail);
  await stopTracing();
  await ops?.close();
  clearTimeout(deadline);
  logger.info('stopped');
  process.exit(exitCode);
}

/** Returns the text of a fatal line: with what is used up, when an error of the system, which names no setting, shows it. */
function failureText(error: unknown): string {
  const shortage = error instanceof TouchlineError ? null : shortageOf(error);
  return shortage === null ? 'failed' : `failed: ${adviceOf(shortage)}`;
}

function wantsHelp(service: ServiceDefinition<ProcessSpec>, args: readonly string[]): boolean {
  const usage = `touchline ${service.name}`;
  try {
    const { values } = parseArgs({ args: [...args], options: { help: { type: 'boolean', short: 'h' } } });
    if (values.help !== true) return false;
    process.stdout.write(renderHelp({ usage, about: service.about, config: service.config }));
  } catch (error) {
    process.stderr.write(`${usage}: ${reasonOf(error)}\n`);
    process.exitCode = EXIT.usage;
  }
  return true;
}

function readConfig<Spec extends ProcessSpec>(service: ServiceDefinition<Spec>): z.output<Spec> | undefined {
  try {
    return loadConfig(service.config, process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { name, parts = [name] } = service;
    const helps = parts.map((part) => `touchline ${part} --help`).join(', ');
    process.stderr.write(`${name}: ${error.message}\nSee ${helps}.\n`);
    process.exitCode = EXIT.usage;
    return undefined;
  }
}
