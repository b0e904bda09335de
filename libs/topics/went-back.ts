import { PoisonError } from '#errors/touchline-error.ts';
import type { VersionStamp } from '#tradability/trading.ts';
import type { TopicName } from './topics.ts';

/** A record of a match of which a later version is known. */
type DeniedRecord = VersionStamp & { readonly event_id: number };

/** Returns what is said of a record whose match had the version `known` before, as of `wentBack`. */
export function wentBackText(topic: TopicName, known: number, { event_id, version }: DeniedRecord): string {
  return (
    `event ${event_id} has version ${version} on ${topic} after version ${known}: its state was lost in between, or another ` +
    'program writes to the topic'
  );
}

/** Returns the refusal of such a record by a processor. */
export function versionWentBack(topic: TopicName, known: number, record: DeniedRecord): PoisonError {
  return new PoisonError('VERSION_WENT_BACK', wentBackText(topic, known, record));
}
