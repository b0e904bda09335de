import type { Paging } from '#contract/rest/provider.ts';
import { fold } from '#domain/fold.ts';
import type { MatchState } from '#topics/generated/types.ts';
import type { PlaceIds, ShownState } from './board-view.ts';
import { Conditions, type CountedPage, SqlView } from './sql.ts';

/** Where an event is, and whether anyone may see it. */
export type EventRow = Readonly<PlaceIds & Pick<MatchState, 'sport_id'>> & {
  readonly id: number;
  /** The event as JSON, in the form that was asked for. */
  readonly json: string;
};

/** A match with what only its record in the contract has, JSON without details and statistics. */
export type MatchRow = { readonly state: ShownState; readonly plain: string };

/** An event as it is written: what it shows is text here. */
export type RenderedEvent = {
  /** With all it has, JSON. */
  readonly full: string;
  /** Without details and statistics, JSON. */
  readonly plain: string;
  /** As reported, else by its status. */
  readonly statusType: string | null;
  /** It was deleted by the provider: lists leave it out, unless they are of what changed. */
  readonly hidden: boolean;
  /** Whether extra time was played; null where unknown. */
  readonly extraTime: boolean | null;
};

/** The version of a match that is stored, and where it is. */
export type StoredMatch = Readonly<Pick<MatchState, 'version' | 'competition_id' | 'season_id' | 'stage_id'>>;

/** By start, or by when they last changed. */
export type MatchOrder = keyof typeof ORDERS;

export type TeamRow = {
  readonly id: number;
  readonly name: string;
  readonly folded: string;
  readonly competition_id: number | null;
  readonly matches: number;
};

/** How much of an event is shown. */
export type EventForm = 'full' | 'plain';

const PLACE = 'id, sport_id, competition_id, season_id, stage_id, group_id';

const ORDERS = { earliest: 'start', latest: 'start DESC', changed: 'changed DESC' } as const;

/** Length of a date without a time. */
const DAY = 'YYYY-MM-DD'.length;
const LEVELS = ['competition_id', 'season_id', 'stage_id'] as const;

/** The matches, rendered as their state changes. */
export class MatchView extends SqlView {
  /** The live matches, held from the first time that they are asked for: a replica that reads up does without. */
  #live: Map<number, ShownState> | null = null;
  /** Counts changes of where events are: what is made of all their places is stale after one. */
  placeVersion = 0;

  /** The version of a match and where it is; undefined for an unknown one. */
  known(eventId: number): StoredMatch | undefined {
    const text = 'SELECT version, competition_id, season_id, stage_id FROM events WHERE id = ?';
    return this.sql.of(text).get(eventId) as StoredMatch | undefined;
  }

  /**
   * Writes a new state of a match over the one that is `known`; gives back what the board shows of it. `changed` is when it
   * became visible, Unix seconds of this service's clock.
   */
  put(
    state: MatchState,
    rendered: RenderedEvent,
    known: StoredMatch | undefined,
    changed: number,
  ): ShownState {
    const { full, plain, hidden, statusType, extraTime } = rendered;
    const id = state.event_id;
    const moved = known === undefined || LEVELS.some((level) => known[level] !== state[level]);
    if (moved) this.placeVersion += 1;
    const { fields: _, ...rest } = state;
    const shown = { ...rest, extra_time: extraTime };
    this.sql.insert('INSERT OR REPLACE INTO events', {
      id,
      version: state.version,
      changed,
      hidden: hidden ? 1 : 0,
      sport_id: state.sport_id,
      competition_id: state.competition_id,
      season_id: state.season_id,
      stage_id: state.stage_id,
      group_id: state.group_id,
      start: startOf(state.start_date),
      status_id: state.status_id,
      status_type: statusType,
      home_id: state.home?.id ?? null,
      away_id: state.away?.id ?? null,
      full,
      plain,
      state: JSON.stringify(shown),
    });
    this.#keepSides(state, known !== undefined);
    if (statusType === 'live' && !hidden) this.#live?.set(id, shown);
    else this.#live?.delete(id);
    return shown;
  }

  forget(id: number): void {
    this.sql.of('DELETE FROM events WHERE id = ?').run(id);
    this.sql.of('DELETE FROM sides WHERE event_id = ?').run(id);
    this.#live?.delete(id);
  }

  /** How many events meet the conditions, and those of a page by start and id. */
  list(conditions: Conditions, form: EventForm, paging: Paging): CountedPage<EventRow> {
    return this.sql.page(`${PLACE}, ${form} AS json`, 'events', conditions, 'start, id', paging);
  }

  /** An event with all it has; undefined where there is none, or it was deleted. */
  find(id: number): EventRow | undefined {
    const text = `SELECT ${PLACE}, full AS json FROM events WHERE id = ? AND hidden = 0`;
    return this.sql.rows<EventRow>(text, id)[0];
  }

  /** As `list`, with the versions of the events, so that what is known of them need not be read again. */
  versions(
    conditions: Conditions,
    order: MatchOrder,
    paging: Paging,
  ): CountedPage<{ readonly id: number; readonly version: number }> {
    return this.sql.page('id, version', 'events', conditions, `${ORDERS[order]}, id`, paging);
  }

  /** The state of an event that there is, with its record. */
  row(id: number): MatchRow {
    const row = this.sql.of('SELECT state, plain FROM events WHERE id = ?').get(id);
    return { state: JSON.parse(row?.state as string), plain: row?.plain as string };
  }

  /** The teams of events that may be seen whose folded name has all these words, those with most matches first. */
  teams(words: readonly string[], competitions: ReadonlySet<number> | null, limit: number): TeamRow[] {
    const conditions = new Conditions().also('e.hidden = 0').among('e.competition_id', competitions);
    for (const word of words) conditions.where('instr(s.folded, ?) > 0', word);
    const text = `SELECT s.team_id AS id, s.name, s.folded, e.competition_id, count(*) AS matches
      FROM sides s JOIN events e ON e.id = s.event_id${conditions.text}
      GROUP BY s.team_id, e.competition_id ORDER BY matches DESC, s.team_id LIMIT ?`;
    return this.sql.rows(text, ...conditions.values, limit);
  }

  /** The matches that are live now, by start and id. */
  live(): ShownState[] {
    this.#live ??= this.#readLive();
    return [...this.#live.values()].sort(
      (a, b) => compare(startOf(a.start_date), startOf(b.start_date)) || a.event_id - b.event_id,
    );
  }

  /** The matches that changed last, newest change first; null is those of all competitions. */
  recent(limit: number, competitions: ReadonlySet<number> | null): ShownState[] {
    const conditions = new Conditions().also('hidden = 0').among('competition_id', competitions);
    const text = `SELECT state FROM events${conditions.text} ORDER BY changed DESC, id LIMIT ?`;
    return this.sql.records(text, ...conditions.values, limit);
  }

  /** Null where there is none, or it was deleted. */
  state(id: number): ShownState | null {
    const live = this.#live?.get(id);
    if (live !== undefined) return live;
    const json = this.sql.value<string>('SELECT state FROM events WHERE id = ? AND hidden = 0', id);
    return json === undefined ? null : JSON.parse(json);
  }

  #readLive(): Map<number, ShownState> {
    const text = "SELECT state FROM events WHERE status_type = 'live' AND hidden = 0";
    return new Map(this.sql.records<ShownState>(text).map((state) => [state.event_id, state]));
  }

  /** Writes the names of the sides where they are others than before. */
  #keepSides({ event_id, home, away }: MatchState, isKnown: boolean): void {
    const sides = [home, away].flatMap((side, n) =>
      side?.name == null ? [] : [{ counter: n + 1, team_id: side.id, name: side.name }],
    );
    if (isKnown) {
      const known = this.sql.of('SELECT counter, team_id, name FROM sides WHERE event_id = ?').all(event_id);
      if (JSON.stringify(known) === JSON.stringify(sides)) return;
      this.sql.of('DELETE FROM sides WHERE event_id = ?').run(event_id);
    }
    for (const { counter, team_id, name } of sides)
      this.sql.insert('INSERT INTO sides', { event_id, counter, team_id, name, folded: fold(name) });
  }
}

/** A start as it is compared: with seconds; '' where it is not known, which lies outside of every window. */
function startOf(date: string | null): string {
  return date === null ? '' : `${date}${' 00:00:00'.slice(Math.max(0, date.length - DAY))}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
