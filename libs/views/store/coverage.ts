/** What a replica keeps that serves some competitions only. */
import { TouchlineError } from '#errors/touchline-error.ts';
import type { MatchState } from '#topics/generated/types.ts';
import type { MatchView } from './matches.ts';
import { INDEX_OF_LEFT_OUT } from './schema.ts';
import { isServed, type Served } from './served.ts';
import type { Statements } from './sql.ts';

/** An event came into a served competition after something of it was left out: the views are to be rebuilt. */
export class EventMovedInError extends TouchlineError<'EventMovedInError'> {
  override readonly name = 'EventMovedInError';

  constructor(eventId: number, competitionId: number) {
    super(
      'EVENT_MOVED_IN',
      `event ${eventId} is now in competition ${competitionId}, which is served; what came of it before was left out`,
    );
  }
}

/** Tables of what belongs to an event, besides its state and its messages. */
const OF_EVENT = ['incidents', 'updated_incidents', 'deliveries', 'stories'] as const;

/**
 * Which events are left out. The state of an event says its competition; incidents and transitions may come before it, and are
 * kept until it does. An event that was kept stays, also where it leaves: answers show what is in a served competition.
 */
export class EventCoverage {
  /** Competitions that are served; null is all of them. */
  readonly competitions: Served;
  readonly #sql: Statements;
  readonly #matches: MatchView;

  constructor(sql: Statements, matches: MatchView, competitions: Served) {
    this.competitions = competitions;
    this.#sql = sql;
    this.#matches = matches;
    if (competitions !== null) sql.of(INDEX_OF_LEFT_OUT).run();
  }

  /** Whether a competition is served. What is of none is not, where only some are. */
  serves(competitionId: number | null): boolean {
    return isServed(this.competitions, competitionId);
  }

  /** Whether a new state is kept; decides it for all else of its event. Throws `EventMovedInError`. */
  keepsState({ event_id, competition_id }: MatchState): boolean {
    if (this.competitions === null) return true;
    const dropped = this.#dropped(event_id);
    if (competition_id === null) return dropped === undefined;
    if (this.competitions.has(competition_id)) {
      if (dropped === 1) throw new EventMovedInError(event_id, competition_id);
      if (dropped === 0) this.#sql.of('DELETE FROM outside WHERE event_id = ?').run(event_id);
      return true;
    }
    if (dropped !== undefined) return false;
    if (this.#isKept(event_id)) return true;
    this.#leaveOut(event_id);
    return false;
  }

  /** Whether something of an event is kept; remembers where it is not. */
  keepsOf(eventId: number): boolean {
    if (this.competitions === null) return true;
    const dropped = this.#dropped(eventId);
    if (dropped === 0) this.#sql.of('UPDATE outside SET dropped = 1 WHERE event_id = ?').run(eventId);
    return dropped === undefined;
  }

  /** Undefined for an event that is not outside; else whether something of it was dropped. */
  #dropped(eventId: number): 0 | 1 | undefined {
    return this.#sql.value<0 | 1>('SELECT dropped FROM outside WHERE event_id = ?', eventId);
  }

  /** Whether its competition was known and served when its first states came. */
  #isKept(eventId: number): boolean {
    const text = 'SELECT competition_id FROM events WHERE id = ?';
    return (this.#sql.value<number | null>(text, eventId) ?? null) !== null;
  }

  /** Remembers that an event is outside, and drops what came of it before that was known. */
  #leaveOut(eventId: number): void {
    let dropped = 0;
    const remove = (text: string): void => {
      dropped += Number(this.#sql.of(text).run(eventId).changes);
    };
    for (const table of OF_EVENT) remove(`DELETE FROM ${table} WHERE event_id = ?`);
    remove('DELETE FROM feed_texts WHERE id IN (SELECT id FROM feed WHERE event_id = ?)');
    remove('DELETE FROM feed WHERE event_id = ?');
    this.#matches.forget(eventId);
    this.#sql.of('INSERT INTO outside VALUES (?, ?)').run(eventId, dropped > 0 ? 1 : 0);
  }
}
