import { setTimeout as delay } from 'node:timers/promises';
import { QUICK_START } from '#embedded/settings.ts';
import { type KafkaCluster, startKafkaCluster } from '#embedded/testing/cluster.ts';
import type { BrokerSecurity } from '#embedded/testing/secured-listeners.ts';
import { QUICK_REJOIN } from '#embedded/testing/settings.ts';
import { BrokerConnections } from '#streams/client/platformatic/connections.ts';
import { atEnd } from '../../support/at-end.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Timing of kills: one every `everyMs`, for `killingMs`. */
export type KillTimes = { readonly everyMs: number; readonly killingMs: number };

/** Starts three brokers for the current test or file, with a short detection of failed brokers. */
export async function startCluster({
  security,
}: {
  readonly security?: BrokerSecurity;
} = {}): Promise<KafkaCluster> {
  const cluster = await startKafkaCluster({
    ...security,
    dataDir: temporaryFolder(),
    settings: { ...security?.settings, ...QUICK_REJOIN },
    jvmArgs: [...QUICK_START, '-Xmx512m'],
  });
  atEnd(() => cluster.stop());
  return cluster;
}

/**
 * Kills the brokers in turns, first the coordinator of this group, and restarts each before the next kill. Returns the
 * number of kills.
 */
export async function killInTurns(
  { brokers, nodes }: KafkaCluster,
  group: string,
  { everyMs, killingMs }: KillTimes,
  random: () => number,
): Promise<number> {
  const port = await coordinatorPort(brokers, group);
  const first = nodes.findIndex((node) => node.ports.PLAINTEXT === port);
  const until = performance.now() + killingMs;
  let killed = 0;
  for (let next = performance.now(); next < until; next = Math.max(next + everyMs, performance.now())) {
    await delay(Math.max(0, next - performance.now()));
    const node = nodes[(first + killed) % nodes.length];
    await node?.kill('SIGKILL');
    killed += 1;
    await delay(random() * 2_000);
    await node?.start();
  }
  return killed;
}

async function coordinatorPort(brokers: readonly string[], group: string): Promise<number | undefined> {
  const connections = new BrokerConnections(brokers, 'test-coordinator');
  try {
    return (await connections.coordinator('group', group)).port;
  } finally {
    await connections.close();
  }
}
