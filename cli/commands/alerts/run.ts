/** `touchline alerts`: publishes what rules ask for, each once. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { loadConfig, processorSettings } from '#service/config.ts';
import { createLogger } from '#service/logger.ts';
import { createMetrics } from '#service/metrics.ts';
import { openProcessor } from '#service/run-processor.ts';
import { onStopRequest } from '#service/stop-requests.ts';
import { partitionKey } from '#streams/client/port.ts';
import { follow } from '#streams/read/follow.ts';
import { machineClock } from '#timing/clock.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { findPlace, requireTopic, withBackbone } from '../../place.ts';
import { durationMs } from '../moments.ts';
import { ALERT_TOPICS, AlertPartition } from './alert-partition.ts';
import type { alerts } from './command.ts';
import { MatchBeliefs } from './match-beliefs.ts';
import { MatchFacts } from './match-facts.ts';
import { ALERT_FORMATS, type AlertOutput, fileOutput, standardOutput } from './output.ts';
import { AlertPrinter } from './printer.ts';
import { readRules } from './rules.ts';
import { findAlerts, leadStaleAlerts } from './stale-alerts.ts';
import { LOOK_EVERY_MS, Withdrawals } from './withdrawals.ts';

const settings = z.object(processorSettings);

/** Publishes and prints alerts. */
export async function runAlerts(given: GivenTo<typeof alerts>): Promise<number> {
  const { rulesFile, out, format, maxAgeMs } = parse(given);
  const rules = readRules(rulesFile);
  const place = findPlace(process.env);
  await requireTopic(place, 'alerts');
  const output = out === undefined ? standardOutput(format) : fileOutput(out);
  const stop = new AbortController();
  const done = onStopRequest({ graceful: () => stop.abort(), force: (code) => process.exit(code) });
  try {
    await work({ rules, maxAgeMs, output, signal: stop.signal });
  } finally {
    done();
    output.close();
  }
  return 0;
}

type Work = {
  readonly rules: ReturnType<typeof readRules>;
  readonly maxAgeMs: number;
  readonly output: AlertOutput;
  readonly signal: AbortSignal;
};

async function work({ rules, maxAgeMs, output, signal: asked }: Work): Promise<void> {
  const given = loadConfig(settings, withBackbone(process.env));
  // Several may run on one host: without a name each start is a new member.
  const config = { ...given, GROUP_INSTANCE_ID: given.GROUP_INSTANCE_ID || randomUUID() };
  const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix, SESSION_TIMEOUT_MS: sessionTimeoutMs } = config;
  const logger = createLogger({ name: 'alerts', level: process.env.LOG_LEVEL || 'warn' });
  const metrics = createMetrics('alerts');
  const failed = new AbortController();
  const fenced = Promise.withResolvers<never>();
  fenced.promise.catch(() => {});
  const context = { config, logger, metrics, fail: fenced.reject };
  const open = await openProcessor('alert-processor', context, ALERT_TOPICS);
  const { codecs, client, registry, topicName } = open;
  const signal = AbortSignal.any([asked, failed.signal]);
  const facts = new MatchFacts();
  const beliefs = new MatchBeliefs(facts);
  const of = { topic: topicName('alerts'), partition: 0 };
  // Before anything is published: what this process publishes is printed.
  const [bounds] = await client.logBounds([of]);
  const from = new Map([[partitionKey(of), output.from ?? bounds?.end ?? 0]]);
  const printer = new AlertPrinter(output);
  const printing = follow({
    brokers,
    reader: 'touchline-alerts',
    topics: [of.topic],
    from,
    signal,
    onBatch: async ({ records }) => {
      for (const { value, offset } of records)
        if (value !== null) await printer.published(await codecs.alerts.decode(value), offset);
    },
  });
  const matches = { brokers, topic: topicName('match-state'), decoder: registry.decoder('match-state') };
  const health = { brokers, topic: topicName('feed-health'), decoder: registry.decoder('feed-health') };
  const looked = { rules, maxAgeMs, matches: facts, beliefs };
  const reading = Promise.all([
    printing,
    facts.follow(matches, signal),
    beliefs.follow(health, signal),
    printBelief(looked, printer, signal),
  ]).finally(() => failed.abort());
  // Awaited below, where it has ended the rest.
  reading.catch(() => {});
  const stale = leadStaleAlerts({
    brokers,
    prefix,
    registry,
    client,
    rules,
    maxAgeMs,
    sessionTimeoutMs,
    log: logger,
    instanceId: config.GROUP_INSTANCE_ID,
    onFenced: fenced.reject,
    matches: facts,
    beliefs,
  });
  const matchAt = (eventId: number, version: number) => facts.at(eventId, version);
  try {
    const stream = await open.run(
      () => new AlertPartition({ codecs, topicName, rules, matchAt, maxAgeMs, now: Date.now }),
    );
    try {
      await stale.start();
      await Promise.race([reading, fenced.promise]);
    } finally {
      await stale.stop();
      await stream.stop();
    }
  } finally {
    failed.abort();
  }
}

/** Prints by this process's own clock what is no longer to be believed, also while no broker answers. */
async function printBelief(
  looked: Parameters<typeof findAlerts>[0],
  printer: AlertPrinter,
  signal: AbortSignal,
): Promise<void> {
  await looked.beliefs.known();
  const withdrawals = new Withdrawals();
  // What is so at the start is no change; the leader publishes it where that is not done yet.
  findAlerts(looked, withdrawals);
  while (!signal.aborted) {
    await printer.found(findAlerts(looked, withdrawals), performance.now());
    await machineClock.sleep(LOOK_EVERY_MS, signal);
  }
}

function parse({ values }: GivenTo<typeof alerts>) {
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
