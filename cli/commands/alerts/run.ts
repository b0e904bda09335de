/** `touchline alerts`: runs the alert processor and prints what it publishes. */
import { randomUUID } from 'node:crypto';
import { loadConfig } from '#service/config.ts';
import { createLogger } from '#service/logger.ts';
import { createMetrics } from '#service/metrics.ts';
import { partitionKey } from '#streams/client/port.ts';
import { follow } from '#streams/read/follow.ts';
import { machineClock } from '#timing/clock.ts';
import { type AlertRule, readRules } from '../../../services/alert-processor/rules.ts';
import {
  type AlertProcessor,
  openAlertProcessor,
  settings,
} from '../../../services/alert-processor/service.ts';
import { LOOK_EVERY_MS } from '../../../services/alert-processor/stale-matches.ts';
import { findCluster, requireTopics, withBackbone } from '../../cluster.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { untilStopped } from '../../until-stopped.ts';
import { durationMs } from '../option-values.ts';
import { ALERT_FORMATS, type command } from './command.ts';
import { type AlertOutput, fileOutput, standardOutput } from './output.ts';
import { AlertPrinter } from './printer.ts';

export async function run(given: GivenTo<typeof command>): Promise<number> {
  const { rulesFile, out, format, maxAgeMs } = parse(given);
  const rules = readRules(rulesFile);
  const place = findCluster(process.env);
  await requireTopics(place, ['alerts']);
  const output = out === undefined ? standardOutput(format) : fileOutput(out);
  try {
    await untilStopped((signal) => work({ rules, maxAgeMs, output, signal }));
  } finally {
    output.close();
  }
  return 0;
}

type Work = {
  readonly rules: readonly AlertRule[];
  readonly maxAgeMs: number;
  readonly output: AlertOutput;
  readonly signal: AbortSignal;
};

async function work({ rules, maxAgeMs, output, signal: asked }: Work): Promise<void> {
  const given = loadConfig(settings, withBackbone(process.env));
  // Several may run on one host: without a name each start is a new member.
  const config = { ...given, GROUP_INSTANCE_ID: given.GROUP_INSTANCE_ID || randomUUID() };
  const logger = createLogger({ name: 'alerts', level: process.env.LOG_LEVEL || 'warn' });
  const metrics = createMetrics('alerts');
  const failed = new AbortController();
  const fenced = Promise.withResolvers<never>();
  fenced.promise.catch(() => {});
  const context = { config, logger, metrics, fail: fenced.reject };
  const processor = await openAlertProcessor(context, { rules, maxAgeMs });
  const { client, codecs, topicName } = processor;
  const signal = AbortSignal.any([asked, failed.signal]);
  const of = { topic: topicName('alerts'), partition: 0 };
  // Before anything is published: what this process publishes is printed.
  const [bounds] = await client.logBounds([of]);
  const printer = new AlertPrinter(output);
  const printing = follow({
    brokers: config.KAFKA_BROKERS,
    reader: 'touchline-alerts',
    topics: [of.topic],
    from: new Map([[partitionKey(of), output.from ?? bounds?.end ?? 0]]),
    signal,
    onBatch: async ({ records }) => {
      for (const { value, offset } of records)
        if (value !== null) await printer.published(await codecs.alerts.read(value), offset);
    },
  });
  const reading = Promise.all([
    printing,
    processor.read(signal),
    printFeedChanges(processor, printer, signal),
  ]).finally(() => failed.abort());
  // Awaited below, where it has ended the rest.
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

/** Prints by this process's own clock which matches become stale or recover, also while no broker answers. */
async function printFeedChanges(
  processor: AlertProcessor,
  printer: AlertPrinter,
  signal: AbortSignal,
): Promise<void> {
  const changed = await processor.watch();
  while (!signal.aborted) {
    await printer.found(changed(), performance.now());
    await machineClock.sleep(LOOK_EVERY_MS, signal);
  }
}

function parse({ values }: GivenTo<typeof command>) {
  if (values.rules === undefined) throw new UsageError('name a file of rules with --rules');
  const maxAgeMs = durationMs(values['max-age']);
  if (maxAgeMs === null)
    throw new UsageError(`--max-age is a time as 30m, 12h or 1d, not ${JSON.stringify(values['max-age'])}`);
  const given = values.format;
  if (given !== undefined && values.out !== undefined)
    throw new UsageError('--out writes JSON: --format is of the standard output');
  const format = ALERT_FORMATS.find((known) => known === given) ?? (process.stdout.isTTY ? 'line' : 'json');
  return { rulesFile: values.rules, out: values.out, format, maxAgeMs };
}
