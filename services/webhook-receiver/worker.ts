/** The thread that works on bodies: the one that answers requests stays free for requests. */
import { parentPort, workerData } from 'node:worker_threads';
import { createLogger } from '#service/logger.ts';
import { openPublisher } from '#streams/publisher.ts';
import { Registry } from '#topics/registry.ts';
import { Intake } from './intake.ts';
import { SERVICE } from './name.ts';
import { openDeliveryEncoder } from './records.ts';
import type { FromWorker, ToWorker, WorkerSettings } from './threads.ts';

if (parentPort === null) throw new Error('this is a worker of the webhook receiver, not a program');
const port = parentPort;
const { brokers, registryUrl, prefix, timeoutMs, logLevel } = workerData as WorkerSettings;
const log = createLogger({ name: SERVICE, level: logLevel });
const tell = (message: FromWorker): void => port.postMessage(message);

const encode = await openDeliveryEncoder(Registry.open({ url: registryUrl, prefix }), prefix);
const publisher = await openPublisher({
  brokers,
  clientId: SERVICE,
  log,
  timeoutMs,
  // What may wait is decided where requests are answered.
  maxQueueBytes: Number.MAX_SAFE_INTEGER,
});
const intake = new Intake({ publisher, encode, log, report: tell });

port.on('message', (message: ToWorker) => {
  if (message === 'stop') void publisher.close().then(() => port.close());
  else intake.take(message);
});
tell('ready');
