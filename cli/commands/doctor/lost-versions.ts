import type { TopicRecord } from '#topics/follow.ts';
import { type VersionStamp, wentBack } from '#trading/trading.ts';

/** A match whose state has an earlier version than a record that it must include. */
export type LostVersion = { readonly event_id: number; readonly version: number; readonly known: number };

/** Finds matches whose state lost versions, by the records of all topics of a match. */
export class LostVersions {
  readonly #states = new Map<number, VersionStamp>();
  /** The record with the latest version of each match. */
  readonly #latest = new Map<number, VersionStamp>();

  /** Adds a record, those of a partition in their order. */
  add({ topic, value }: Pick<TopicRecord, 'topic' | 'value'>): void {
    if (value === null || !('event_id' in value && 'version' in value && 'cause' in value)) return;
    const { event_id, version, cause } = value;
    if (topic === 'match-state') this.#states.set(event_id, { version, cause });
    if (version > (this.#latest.get(event_id)?.version ?? 0)) this.#latest.set(event_id, { version, cause });
  }

  /** Returns the matches whose last state denies a record. */
  found(): LostVersion[] {
    return [...this.#states].flatMap(([event_id, state]) => {
      const latest = this.#latest.get(event_id);
      if (latest === undefined || !wentBack(latest, state)) return [];
      return [{ event_id, version: state.version, known: latest.version }];
    });
  }
}
