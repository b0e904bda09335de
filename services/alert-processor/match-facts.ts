import { StreamError } from '#streams/errors.ts';
import { poll } from '#timing/poll.ts';
import type { MatchState } from '#topics/generated/types.ts';
import { TopicTable, type TopicTableOptions } from '#topics/topic-table.ts';
import type { KnownMatch } from './alert.ts';

/** How long a state may come later than its transition: both are of one transaction. */
const WITHIN_MS = 30_000;
const EVERY_MS = 5;

/** Name, competition, teams, status, goals and red cards of every match, as latest known. */
export class KnownMatches extends TopicTable<'match-state'> {
  readonly #matches = new Map<number, NonNullable<KnownMatch>>();

  constructor(options: TopicTableOptions) {
    super('match-state', options);
  }

  /** What is known of a match now; null where nothing is. */
  latest(eventId: number): KnownMatch {
    return this.#matches.get(eventId) ?? null;
  }

  /** A match as of a version or later. Rejects with `StreamError` UNAVAILABLE where that has not been read in time. */
  async at(eventId: number, version: number): Promise<KnownMatch> {
    const look = () => {
      const known = this.latest(eventId);
      return known !== null && known.version >= version ? known : undefined;
    };
    const found = look() ?? (await poll(async () => look(), { timeoutMs: WITHIN_MS, everyMs: EVERY_MS }));
    if (found === undefined)
      throw new StreamError(
        'UNAVAILABLE',
        `match-state of event ${eventId} has not come to version ${version}`,
      );
    return found;
  }

  protected apply(key: string, state: MatchState | null): void {
    if (state === null) {
      this.#matches.delete(Number(key));
      return;
    }
    const { event_id, version, name, competition_id, home, away, status_type, key_incidents } = state;
    this.#matches.set(event_id, { version, name, competition_id, home, away, status_type, key_incidents });
  }
}
