/** Tells who waits for a command that no broker answers: requests of the command itself wait far longer. */
import { setTimeout as delay } from 'node:timers/promises';
import { shownBrokers } from '#security/brokers.ts';
import { SUMMARIES } from './commands/catalogue.ts';

const AFTER_MS = 3_000;
const FOR_MS = 5_000;

/** Prints the addresses once, if the command still runs after some seconds and no broker answers. Delays no command and no exit. */
export function warnOfSilence(command: string | undefined): void {
  // Services log it themselves.
  if (command === undefined || !Object.hasOwn(SUMMARIES, command)) return;
  setTimeout(() => void ask().catch(() => {}), AFTER_MS).unref();
}

async function ask(): Promise<void> {
  const { findCluster } = await import('./cluster.ts');
  const { requireKafkaAccess } = await import('#cluster/access.ts');
  const { brokers } = findCluster(process.env);
  // One that refuses has answered: the command says why.
  const answers = requireKafkaAccess(brokers).catch(() => true);
  const isSilent = !(await Promise.race([answers, delay(FOR_MS, false, { ref: false })]));
  if (isSilent) process.stderr.write(`warning: no broker answers at ${shownBrokers(brokers)}\n`);
}
