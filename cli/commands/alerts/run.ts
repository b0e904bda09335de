import { randomUUID } from 'node:crypto';
import { type AlertProcessor, openAlertProcessor, settings } from '#processors/alerts/alert-processor.ts';
import { type AlertRule, readRules } from '#processors/alerts/rules.ts';
import { STALE_CHECK_MS } from '#processors/alerts/stale-matches.ts';
import { loadConfig } from '#service/config.ts';
import { createLogger } from '#service/logger.ts';
import { createMetrics } from '#service/metrics.ts';
import { partitionKey } from '#streams/client/port.ts';
import { machineClock } from '#timing/clock.ts';
import { follow } from '#topics/follow.ts';
import { findClusterWith, withBackbone } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { ProblemLines, parseLine, problemOf } from '../../problem-lines.ts';
import { printLineAndDrain, untilStopped } from '../../terminal.ts';
import { jsonText } from '../../values.ts';
import type { command } from './command.ts';
import { AlertPrinter, alertLine, type PrintAlert } from './printer.ts';

export async function run(...[options]: GivenTo<typeof command>): Promise<number> {
  const { format = process.stdout.isTTY ? 'line' : 'json', maxAge: maxAgeMs = null } = options;
  const rules = readRules(options.rules);
  await findClusterWith(['alerts']);
  const print: PrintAlert = (alert, offset) =>
    printLineAndDrain(format === 'line' ? alertLine(alert) : jsonText({ ...alert, offset }));
  await untilStopped((signal) => runProcessor(rules, maxAgeMs, print, signal));
  return 0;
}

/** Runs the alert processor and prints alerts until `stopped`. */
async function runProcessor(
  rules: readonly AlertRule[],
  maxAgeMs: number | null,
  print: PrintAlert,
  stopped: AbortSignal,
): Promise<void> {
  const given = loadConfig(settings, withBackbone(process.env));
  // Several processes may run on one host: without an instance id, each start is a new member.
  const config = { ...given, GROUP_INSTANCE_ID: given.GROUP_INSTANCE_ID || randomUUID() };
  const problems = new ProblemLines((line) => void process.stderr.write(`${line}\n`));
  const write = (line: string): void => {
    const entry = parseLine(line);
    if (entry === null) return;
    const { text, cause } = problemOf(entry);
    problems.report(`alerts: ${text}`, cause);
  };
  const level = process.env.LOG_LEVEL || 'warn';
  const logger = createLogger({ name: 'alerts', level, stream: { write } });
  const metrics = createMetrics('alerts');
  const failed = new AbortController();
  const fenced = Promise.withResolvers<never>();
  fenced.promise.catch(() => {});
  const signal = AbortSignal.any([stopped, failed.signal]);
  const context = { config, logger, metrics, signal, fail: fenced.reject };
  const processor = await openAlertProcessor(context, { rules, maxAgeMs });
  const { client, source, topicName } = processor;
  const of = { topic: topicName('alerts'), partition: 0 };
  // Read before the processor starts: every alert that it publishes is printed.
  const [bounds] = await client.logBounds([of]);
  const printer = new AlertPrinter(print);
  const printing = follow(['alerts'], source, {
    reader: 'touchline-alerts',
    from: new Map([[partitionKey(of), bounds?.end ?? 0]]),
    signal,
    onRecord: ({ value, offset }) => value && printer.published(value, offset),
    onExpired({ from, next }) {
      logger.error(
        { topic: of.topic, from, records: next - from },
        'alerts expired before they were printed',
      );
    },
  });
  const reading = Promise.all([
    printing,
    processor.read(signal),
    printFeedChanges(processor, printer, signal),
  ]).finally(() => failed.abort());
  // Awaited below.
  reading.catch(() => {});
  try {
    const running = await processor.start();
    try {
      await Promise.race([reading, fenced.promise]);
    } finally {
      await running.stop();
    }
  } finally {
    failed.abort();
  }
}

/** Prints, by this process's own clock, which matches become stale or recover, even while no broker answers. */
async function printFeedChanges(
  processor: AlertProcessor,
  printer: AlertPrinter,
  signal: AbortSignal,
): Promise<void> {
  const changed = await processor.watch();
  while (!signal.aborted) {
    await printer.found(changed(), performance.now());
    await machineClock.sleep(STALE_CHECK_MS, signal);
  }
}
