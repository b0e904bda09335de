/** A thread of the receiver: listens, receives deliveries, publishes their records and answers. */
import { parentPort, workerData } from 'node:worker_threads';
import { openDeliveryEncoder } from '#ingestion/delivery.ts';
import { createLogger } from '#service/logger.ts';
import { watchHeap } from '#service/memory.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { Registry } from '#topics/registry.ts';
import { startTracing, stopTracing } from '#tracing/tracing.ts';
import { ReceiverApp } from './app.ts';
import { SERVICE } from './config.ts';
import { Intake } from './intake.ts';
import { RequestTally } from './tally.ts';
import type { FromReceiverThread, ThreadSettings, ToReceiverThread } from './threads.ts';

if (parentPort === null) throw new Error('this is a thread of the webhook receiver, not a program');
/** Interval between the reports that nobody requested. */
const REPORT_MS = 250;

const parent = parentPort;
const settings = workerData as ThreadSettings;
const { brokers, registryUrl, prefix, secrets, bodyLimit, answerTimeoutMs } = settings;
const log = createLogger({ name: SERVICE, level: settings.logLevel, secrets });
watchHeap(log);
const post = (message: FromReceiverThread): void => parent.postMessage(message);

const tally = new RequestTally();
await startTracing(settings.tracing, {
  log,
  onSpans: (outcome, count) => tally.count('spans', outcome, count),
});
const encode = await openDeliveryEncoder(Registry.open({ url: registryUrl, prefix }), prefix);
const publisher = await openPublisher({
  brokers,
  clientId: SERVICE,
  log,
  timeoutMs: answerTimeoutMs,
  openTimeoutMs: settings.connectTimeoutMs,
  maxQueueBytes: settings.maxQueueBytes,
});
const intake = new Intake({ publisher, encode, answerTimeoutMs, tally, log });
const app = new ReceiverApp({
  secrets,
  bodyLimit,
  answerTimeoutMs,
  limits: settings.limits,
  tls: settings.tls,
  store: (body, waitedMs, traceparent) => intake.store(body, waitedMs, traceparent),
  tally,
  log,
});

const report = (): void => {
  const { connections, unprovenBytes } = app.admission;
  const { queuedBytes: pendingBytes, healthy } = publisher;
  post({ ...tally.drain(), pendingBytes, connections, unprovenBytes, healthy });
};
const reports = setInterval(report, REPORT_MS);

async function stop(): Promise<void> {
  await app.close();
  await publisher.close();
  await stopTracing();
  clearInterval(reports);
  report();
  parent.close();
}

parent.on('message', (message: ToReceiverThread) => {
  if (message === 'stop') void stop();
  else if (message === 'drain') app.drain();
  else report();
});
const { port, host, sharesPort: reusePort } = settings;
post({ port: await app.listen({ port, host, reusePort }) });
