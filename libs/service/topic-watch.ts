import { BrokerConnections } from '#cluster/access.ts';
import { reasonOf } from '#errors/touchline-error.ts';
import type { Brokers } from '#security/brokers.ts';
import { isProcessor, type ServiceName } from '#topics/acls.ts';
import { requireSettings } from '#topics/required-topics.ts';
import type { Logger } from './logger.ts';

const EVERY_MS = 60_000;

/**
 * Requires the topics of these services as `requireSettings` does, and again every minute: logs an error once for each change.
 * The services continue, as refused input would be lost as well. Processors check theirs at each claim.
 */
export async function watchTopics(
  services: readonly ServiceName[],
  { brokers, prefix }: { readonly brokers: Brokers; readonly prefix: string },
  {
    logger,
    signal,
    everyMs = EVERY_MS,
  }: { readonly logger: Pick<Logger, 'error'>; readonly signal: AbortSignal; readonly everyMs?: number },
): Promise<void> {
  const connections = new BrokerConnections(brokers, 'touchline-topics');
  signal.addEventListener('abort', () => void connections.close());
  for (const service of services) await requireSettings(connections, prefix, service);
  const last = new Map<string, string>();
  const check = async (): Promise<void> => {
    for (const service of services.filter((one) => !isProcessor(one))) {
      const error: unknown = await requireSettings(connections, prefix, service).catch(
        (cause: unknown) => cause,
      );
      const text = error === undefined ? '' : reasonOf(error);
      if (text !== '' && last.get(service) !== text && !signal.aborted) logger.error({ err: error }, text);
      last.set(service, text);
    }
  };
  const timer = setInterval(() => void check(), everyMs);
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer));
}
