import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { withTopicAdmin } from '#cluster/topic-admin.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { startTestKafka } from '#embedded/testing/cluster.ts';
import { QUICK_REJOIN } from '#embedded/testing/settings.ts';
import { atEnd } from './at-end.ts';
import { changeBroker } from './broker-settings.ts';
import { type ProxiedKafka, proxied } from './own-kafka.ts';
import { TcpProxy } from './proxy.ts';

const ADMIN_MS = 60_000;
/** Node id of a single broker. */
const NODE_ID = 1;

export type RestartableKafka = ProxiedKafka & {
  readonly dataDir: string;
};

/** The broker of this worker, whose files run one after the other. */
let started: Promise<RestartableKafka> | undefined;

/**
 * Returns the broker of this worker, which a test may kill, freeze, restart and disconnect, and whose logs it may
 * damage. The broker is healthy when it is returned, and has no topics of an earlier test or file. `settings` are
 * dynamic settings that apply until the test or the file ends. A test that needs other settings starts its own broker.
 */
export async function restartableKafka(
  settings: Readonly<Record<string, string>> = {},
): Promise<RestartableKafka> {
  started ??= start();
  const restartable = await started;
  await heal(restartable);
  const isChanged = Object.keys(settings).length > 0;
  if (isChanged) await changeBroker(restartable.directBrokers, NODE_ID, settings);
  atEnd(async () => {
    await reset(restartable);
    if (isChanged) await changeBroker(restartable.directBrokers, NODE_ID, {});
  });
  return restartable;
}

/** Starts the broker, which `startTestKafka` stops when the worker exits. */
async function start(): Promise<RestartableKafka> {
  const proxy = await TcpProxy.open();
  const [proxyPort] = proxy.ports as [number];
  const dataDir = await mkdtemp(join(inject('folder'), 'restartable-'));
  const kafka = await startTestKafka({
    dataDir,
    listeners: [proxied(proxyPort)],
    settings: QUICK_REJOIN,
    jvmArgs: QUICK_START,
  });
  return { kafka, proxy, brokers: proxy.brokers, directBrokers: kafka.brokers, dataDir };
}

async function heal({ kafka, proxy }: RestartableKafka): Promise<void> {
  proxy.forwardTo(kafka.ports.PROXIED as number);
  proxy.resume();
  await kafka.kill('SIGCONT');
  await kafka.start();
}

/** Closes connections and deletes topics that the previous test left. */
async function reset(restartable: RestartableKafka): Promise<void> {
  await heal(restartable);
  restartable.proxy.cut();
  await withTopicAdmin(restartable.directBrokers, ADMIN_MS, async (admin) => {
    const own = [...(await admin.topics()).keys()].filter((topic) => !topic.startsWith('__'));
    if (own.length > 0) await admin.deleteTopics(own);
  });
}
