import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { withTopicAdmin } from '#cluster/topic-admin.ts';
import { startKafka } from '#embedded/kafka.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { QUICK_REJOIN } from '#embedded/testing/settings.ts';
import { atEnd } from './at-end.ts';
import { changeBroker } from './broker-settings.ts';
import type { ProxiedKafka } from './proxied-kafka.ts';
import { TcpProxy } from './proxy.ts';

const ADMIN_MS = 60_000;
/** Of a broker that is alone. */
const NODE_ID = 1;

/** A broker that a test may harm. */
export type RestartableKafka = ProxiedKafka & {
  /** Of its logs, among others. */
  readonly dataDir: string;
};

/** Of this worker; its files run one after the other. */
let started: Promise<RestartableKafka> | undefined;

/**
 * The broker of this worker that a test may kill, freeze, start again and cut off, and whose logs it may damage. It is well when it
 * is given out, and has no topics of an earlier test or file. `settings`: those of the broker that it takes while it runs, until the
 * test, or the file, ends. A test that wants others starts its own.
 */
export async function restartableKafka(
  settings: Readonly<Record<string, string>> = {},
): Promise<RestartableKafka> {
  started ??= start();
  const restartable = await started;
  await mend(restartable);
  const isChanged = Object.keys(settings).length > 0;
  if (isChanged) await changeBroker(restartable.directBrokers, NODE_ID, settings);
  atEnd(async () => {
    await forget(restartable);
    if (isChanged) await changeBroker(restartable.directBrokers, NODE_ID, {});
  });
  return restartable;
}

/** It ends with the worker: `startKafka` sees to it. */
async function start(): Promise<RestartableKafka> {
  const proxy = await TcpProxy.open();
  const [proxyPort] = proxy.ports as [number];
  const dataDir = await mkdtemp(join(inject('folder'), 'restartable-'));
  const kafka = await startKafka({ dataDir, proxyPort, settings: QUICK_REJOIN, jvmArgs: QUICK_START });
  return { kafka, proxy, brokers: proxy.brokers, directBrokers: kafka.brokers, dataDir };
}

async function mend({ kafka, proxy }: RestartableKafka): Promise<void> {
  proxy.forwardTo(kafka.proxiedPort as number);
  proxy.resume();
  await kafka.kill('SIGCONT');
  await kafka.start();
}

/** Connections too: what a test left open is none of the next one's. */
async function forget(restartable: RestartableKafka): Promise<void> {
  await mend(restartable);
  restartable.proxy.cut();
  await withTopicAdmin(restartable.directBrokers, ADMIN_MS, async (admin) => {
    const own = [...(await admin.topics()).keys()].filter((topic) => !topic.startsWith('__'));
    if (own.length > 0) await admin.deleteTopics(own);
  });
}
