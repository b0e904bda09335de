import { PoisonError } from '#errors/touchline-error.ts';
import type { TopicName } from './topics.ts';

/** A record of a match or table of which a later version is known. */
export type DeniedRecord = { readonly version: number } & (
  | { readonly event_id: number }
  | { readonly standings_id: number }
);

/** Returns what is said of a record whose match or table had the version `known` before. */
export function wentBackText(topic: TopicName, known: number, record: DeniedRecord): string {
  const of = 'event_id' in record ? `event ${record.event_id}` : `table ${record.standings_id}`;
  return (
    `${of} has version ${record.version} on ${topic} after version ${known}: its state was lost in between, or another ` +
    'program writes to the topic'
  );
}

/** Returns the refusal of such a record by a processor. */
export function versionWentBack(topic: TopicName, known: number, record: DeniedRecord): PoisonError {
  return new PoisonError('VERSION_WENT_BACK', wentBackText(topic, known, record));
}
