import { randomUUID } from 'node:crypto';
import { type AlertProcessor, openAlertProcessor, settings } from '#processors/alerts/alert-processor.ts';
import { readRules } from '#processors/alerts/rules.ts';
import { EPISODE_KINDS, STALE_CHECK_MS } from '#processors/alerts/stale-matches.ts';
import type { Alert } from '#records/types.ts';
import { loadConfig } from '#service/config.ts';
import { createLogger } from '#service/logger.ts';
import { createMetrics } from '#service/metrics.ts';
import { alertText } from '#story/alerts.ts';
import { partitionKey } from '#streams/client/port.ts';
import { machineClock } from '#timing/clock.ts';
import { follow } from '#topics/follow.ts';
import { findClusterWith, withBackbone } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { parseLine, problemLines, problemOf } from '../../problem-lines.ts';
import { printLineAndDrain, untilStopped } from '../../terminal.ts';
import { escapeLine, jsonText } from '../../values.ts';
import type { command } from './command.ts';

export async function run(...[options]: GivenTo<typeof command>): Promise<number> {
  const { format = process.stdout.isTTY ? 'line' : 'json', maxAge: maxAgeMs = null } = options;
  const rules = readRules(options.rules);
  await findClusterWith(['alerts']);
  const print: PrintAlert = (alert, offset) =>
    printLineAndDrain(format === 'line' ? alertLine(alert) : jsonText({ ...alert, offset }));
  await untilStopped((signal) => runProcessor({ rules, maxAgeMs }, print, signal));
  return 0;
}

function problemLogger() {
  const report = problemLines((line) => void process.stderr.write(`${line}\n`));
  const write = (line: string): void => {
    const { text = '', cause = null } = problemOf(parseLine(line) ?? { level: 0 });
    if (text !== '') report(`alerts: ${text}`, cause);
  };
  return createLogger({ name: 'alerts', level: process.env.LOG_LEVEL || 'warn', stream: { write } });
}

type AlertOptions = Parameters<typeof openAlertProcessor>[1];

async function runProcessor(options: AlertOptions, print: PrintAlert, stopped: AbortSignal): Promise<void> {
  const given = loadConfig(settings, withBackbone(process.env));
  // Several processes may run on one host: without an instance id, each start is a new member.
  const config = { ...given, GROUP_INSTANCE_ID: given.GROUP_INSTANCE_ID || randomUUID() };
  const logger = problemLogger();
  const failed = new AbortController();
  const fenced = Promise.withResolvers<never>();
  fenced.promise.catch(() => {});
  const signal = AbortSignal.any([stopped, failed.signal]);
  const context = { config, logger, metrics: createMetrics('alerts'), signal, fail: fenced.reject };
  const processor = await openAlertProcessor(context, options);
  const of = { topic: processor.topicName('alerts'), partition: 0 };
  // Read before the processor starts: every alert that it publishes is printed.
  const [bounds] = await processor.client.logBounds([of]);
  const printer = alertPrinter(print);
  const printing = follow(['alerts'], processor.source, {
    reader: 'touchline-alerts',
    from: new Map([[partitionKey(of), bounds?.end ?? 0]]),
    signal,
    onRecord: ({ value, offset }) => value && printer.published(value, offset),
    onExpired: ({ from, next }) => logger.error({ from, next }, 'alerts expired before they were printed'),
  });
  const changes = printFeedChanges(processor, printer, signal);
  const reading = Promise.all([printing, processor.read(signal), changes]).finally(() => failed.abort());
  // Awaited below.
  reading.catch(() => {});
  try {
    const running = await processor.start();
    await Promise.race([reading, fenced.promise]).finally(() => running.stop());
  } finally {
    failed.abort();
  }
}

/** Prints, by this process's own clock, which matches become stale or recover, even while no broker answers. */
async function printFeedChanges(
  processor: AlertProcessor,
  printer: ReturnType<typeof alertPrinter>,
  signal: AbortSignal,
): Promise<void> {
  const changed = await processor.watch();
  while (!signal.aborted) {
    await printer.found(changed(), performance.now());
    await machineClock.sleep(STALE_CHECK_MS, signal);
  }
}

/** Time for the leader to publish an alert that this process has found too. A stale match is printed within two seconds. */
const GRACE_MS = 100;
const FOUND_HERE: ReadonlySet<string> = new Set(Object.entries(EPISODE_KINDS).flat());
/** Maximum number of remembered ids: more than are found during an outage of the broker. */
const MAX_IDS = 100_000;

/** Prints an alert; `offset` is that of its record, null when it is not published yet. */
export type PrintAlert = (alert: Alert, offset: number | null) => Promise<void>;

/**
 * Returns a printer of alerts, each once. This process finds stale feeds by its own clock, and the leader publishes them under the same ids:
 * the first of both is printed, so that a reader learns of a stale feed without a broker or a leader.
 */
export function alertPrinter(print: PrintAlert) {
  const publishedIds = new Set<string>();
  const early = new Set<string>();
  let pending: { readonly alert: Alert; readonly until: number }[] = [];
  return {
    async published(alert: Alert, offset: number): Promise<void> {
      if (FOUND_HERE.has(alert.kind)) remember(publishedIds, alert.id);
      if (!early.has(alert.id)) await print(alert, offset);
    },
    /** Adds alerts that this process found at `at` (steady clock, milliseconds), and prints those that are due and unpublished. */
    async found(alerts: readonly Alert[], at: number): Promise<void> {
      const all = pending.concat(alerts.map((alert) => ({ alert, until: at + GRACE_MS })));
      pending = all.filter(({ until }) => until > at);
      for (const { alert } of all.filter(({ until }) => until <= at)) {
        if (publishedIds.has(alert.id) || early.has(alert.id)) continue;
        remember(early, alert.id);
        await print(alert, null);
      }
    },
  };
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > MAX_IDS && oldest !== undefined) ids.delete(oldest);
}

/** Returns an alert as a line for people: time of receipt (UTC), its text, its ids. */
export function alertLine(alert: Alert): string {
  const { event_id, incident_id, rule, received_at } = alert;
  const parts = [
    new Date(received_at).toISOString().slice(11, 19),
    alertText(alert),
    `match ${event_id}`,
    incident_id === null ? null : `incident ${incident_id}`,
    `rule ${rule}`,
  ];
  return escapeLine(parts.filter((part) => part !== null).join('  '));
}
