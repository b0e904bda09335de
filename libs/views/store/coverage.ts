/** Selects the events that a replica keeps which serves only some competitions. */
import { defineError } from '#errors/touchline-error.ts';
import type { MatchState } from '#records/types.ts';
import type { MatchView } from './matches.ts';
import { FEED_BY_EVENT_INDEX } from './schema.ts';
import { isServed, type ServedCompetitions } from './served.ts';
import { SqlView, type Statements } from './sql.ts';

/** Thrown when an event moved into a served competition after some of its records were left out. The views must be rebuilt. */
export class EventMovedInError extends defineError(
  'EventMovedInError',
  (eventId: number, competitionId: number) => [
    'EVENT_MOVED_IN',
    `event ${eventId} moved into competition ${competitionId}, which is served; its earlier records were left out`,
  ],
) {}

/** Tables with rows of an event, besides its state and its messages. */
const EVENT_TABLES = ['incidents', 'updated_incidents', 'deliveries', 'stories'] as const;

/**
 * Decides which events are left out. The state of an event names its competition; incidents and transitions that arrive
 * before the state are kept until then. A kept event stays when it moves to a competition that is not served: answers
 * filter by the current competition.
 */
export class EventCoverage extends SqlView {
  /** Ids of the competitions that are served; null means all. */
  readonly competitions: ServedCompetitions;
  readonly #matches: MatchView;

  constructor(sql: Statements, matches: MatchView, competitions: ServedCompetitions) {
    super(sql);
    this.competitions = competitions;
    this.#matches = matches;
    if (competitions !== null) sql.of(FEED_BY_EVENT_INDEX).run();
  }

  /** Whether a competition is served. If only some are, null (no competition) is not. */
  serves(competitionId: number | null): boolean {
    return isServed(this.competitions, competitionId);
  }

  /** Whether a new state is kept; this decides it for all other records of its event. Throws `EventMovedInError`. */
  keepsState({ event_id, competition_id }: MatchState): boolean {
    if (this.competitions === null) return true;
    const dropped = this.#dropped(event_id);
    if (competition_id === null) return dropped === undefined;
    if (this.competitions.has(competition_id)) {
      if (dropped === 1) throw new EventMovedInError(event_id, competition_id);
      if (dropped === 0) this.sql.of('DELETE FROM outside WHERE event_id = ?').run(event_id);
      return true;
    }
    if (dropped !== undefined) return false;
    // A stored state with a competition, which then was served.
    const text = 'SELECT competition_id FROM events WHERE id = ?';
    if ((this.sql.value<number | null>(text, event_id) ?? null) !== null) return true;
    this.#leaveOut(event_id);
    return false;
  }

  /** Whether a record of an event is kept. If not, remembers that one was dropped. */
  keepsEvent(eventId: number): boolean {
    if (this.competitions === null) return true;
    const dropped = this.#dropped(eventId);
    if (dropped === 0) this.sql.of('UPDATE outside SET dropped = 1 WHERE event_id = ?').run(eventId);
    return dropped === undefined;
  }

  /** Whether records of an outside event were dropped; undefined for an event that is not outside. */
  #dropped(eventId: number): 0 | 1 | undefined {
    return this.sql.value<0 | 1>('SELECT dropped FROM outside WHERE event_id = ?', eventId);
  }

  /** Marks an event as outside, and deletes the records of it that arrived before. */
  #leaveOut(eventId: number): void {
    let dropped = 0;
    const remove = (text: string): void => {
      dropped += Number(this.sql.of(text).run(eventId).changes);
    };
    for (const table of EVENT_TABLES) remove(`DELETE FROM ${table} WHERE event_id = ?`);
    remove('DELETE FROM feed_texts WHERE id IN (SELECT id FROM feed WHERE event_id = ?)');
    remove('DELETE FROM feed WHERE event_id = ?');
    this.#matches.remove(eventId);
    this.sql.of('INSERT INTO outside VALUES (?, ?)').run(eventId, dropped > 0 ? 1 : 0);
  }
}
