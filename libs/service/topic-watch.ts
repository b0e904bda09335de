import { reasonOf } from '#errors/touchline-error.ts';
import type { Brokers } from '#security/brokers.ts';
import { isProcessor, isServiceName } from '#topics/acls.ts';
import { requireSettings } from '#topics/require-settings.ts';
import type { Logger } from './logger.ts';

const EVERY_MS = 60_000;

/**
 * Logs an error once for each change of the topics of these services that loses or misplaces records. They continue: input that is
 * refused would be lost as well. Processors are left out, as their partitions refuse such a topic.
 */
export function watchTopics(
  services: readonly string[],
  { brokers, prefix }: { readonly brokers: Brokers; readonly prefix: string },
  { logger, signal }: { readonly logger: Pick<Logger, 'error'>; readonly signal: AbortSignal },
): void {
  const watched = services.filter(isServiceName).filter((one) => !isProcessor(one));
  if (watched.length === 0) return;
  const last = new Map<string, string>();
  const timer = setInterval(() => {
    for (const service of watched)
      void requireSettings(brokers, prefix, service).then(
        () => last.delete(service),
        (error: unknown) => {
          const text = reasonOf(error);
          if (last.get(service) !== text) logger.error({ err: error }, text);
          last.set(service, text);
        },
      );
  }, EVERY_MS);
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer));
}
