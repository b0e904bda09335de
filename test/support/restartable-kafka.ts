import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { withTopicAdmin } from '#cluster/topic-admin.ts';
import { startKafka } from '#embedded/kafka.ts';
import { QUICK_REJOIN, QUICK_START } from '#embedded/settings.ts';
import { atEnd } from './at-end.ts';
import type { ProxiedKafka } from './proxied-kafka.ts';
import { TcpProxy } from './proxy.ts';

const ADMIN_MS = 60_000;

/** Of this worker; its files run one after the other. */
let started: Promise<ProxiedKafka> | undefined;

/**
 * The broker of this worker that a test may kill, freeze, start again and cut off. It is well when it is given out, and has no
 * topics of an earlier test or file. A test that wants other settings or damages data starts its own.
 */
export async function restartableKafka(): Promise<ProxiedKafka> {
  started ??= start();
  const proxied = await started;
  await mend(proxied);
  atEnd(() => forget(proxied));
  return proxied;
}

/** It ends with the worker: `startKafka` sees to it. */
async function start(): Promise<ProxiedKafka> {
  const proxy = await TcpProxy.open();
  const [proxyPort] = proxy.ports as [number];
  const dataDir = await mkdtemp(join(inject('folder'), 'restartable-'));
  const kafka = await startKafka({ dataDir, proxyPort, settings: QUICK_REJOIN, jvmArgs: QUICK_START });
  return { kafka, proxy, brokers: proxy.brokers, directBrokers: kafka.brokers };
}

async function mend({ kafka, proxy }: ProxiedKafka): Promise<void> {
  proxy.forwardTo(kafka.proxiedPort as number);
  proxy.resume();
  await kafka.kill('SIGCONT');
  await kafka.start();
}

/** Connections too: what a test left open is none of the next one's. */
async function forget(proxied: ProxiedKafka): Promise<void> {
  await mend(proxied);
  proxied.proxy.cut();
  await withTopicAdmin(proxied.directBrokers, ADMIN_MS, async (admin) => {
    const own = [...(await admin.topics()).keys()].filter((topic) => !topic.startsWith('__'));
    if (own.length > 0) await admin.deleteTopics(own);
  });
}
