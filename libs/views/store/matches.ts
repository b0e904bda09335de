import { isDeepStrictEqual } from 'node:util';
import type { Paging } from '#contract/rest/provider.ts';
import { foldName } from '#domain/name-search.ts';
import type { MatchState } from '#records/types.ts';
import { ABANDONED_MS } from '#trading/trading.ts';
import type { LevelIds, LevelNames, ShownState } from './board-view.ts';
import { Conditions, type CountedPage, SqlView } from './sql.ts';

/** An event as JSON, with the ids of its levels. */
type EventRow = Readonly<LevelIds & Pick<MatchState, 'sport_id'>> & {
  readonly id: number;
  readonly json: string;
};

type RenderedEvent = {
  /** JSON with all fields; `plain`: without details and statistics. */
  readonly full: string;
  readonly plain: string;
  readonly shown: ShownState;
  /** Names of its competition, season, stage and group as reported; those it did not report are missing. */
  readonly levelNames: Partial<LevelNames>;
};

/** Columns that lists of matches filter or sort by, nearly all of which are in an index. A message of a live match changes none of them. */
function filteredOf(state: MatchState) {
  const { sport_id, competition_id, season_id, stage_id, group_id, status_id, status_type } = state;
  // Only lists of changes show an event that the provider deleted.
  const hidden = status_type === 'deleted' ? 1 : 0;
  const [home_id, away_id] = [state.home?.id ?? null, state.away?.id ?? null];
  const start = startOf(state.start_date);
  const levels = { sport_id, competition_id, season_id, stage_id, group_id };
  return { hidden, ...levels, start, status_id, status_type, home_id, away_id };
}

/** The version of a match, and its values in lists, as they are stored. */
type StoredMatch = Readonly<ReturnType<typeof filteredOf>> & { readonly version: number };

/** The order of a list of matches: by start, or by last change. */
export type MatchOrder = keyof typeof ORDERS;

export type TeamRow = {
  readonly id: number;
  readonly name: string;
  readonly folded: string;
  readonly competition_id: number | null;
  readonly matches: number;
};

const ID_COLUMNS = 'id, sport_id, competition_id, season_id, stage_id, group_id';

const ORDERS = { earliest: 'start', latest: 'start DESC', changed: 'changed DESC' } as const;

/** Length of a date without a time. */
const DAY = 'YYYY-MM-DD'.length;
const LEVELS = ['competition_id', 'season_id', 'stage_id'] as const;

/** The matches, rendered when their state changes. */
export class MatchView extends SqlView {
  /** The matches that are live by their status; null until the first query for them, so that a rebuild does not maintain them. */
  #live: Map<number, ShownState> | null = null;
  /** Number of changes of the tree that events name. Lists of its nodes are stale after a change. */
  treeVersion = 0;

  /** Returns what is stored of a match; undefined for an unknown match. */
  known(eventId: number): StoredMatch | undefined {
    const text = `SELECT version, hidden, start, status_id, status_type, home_id, away_id, ${ID_COLUMNS} FROM events WHERE id = ?`;
    return this.sql.of(text).get(eventId) as StoredMatch | undefined;
  }

  /** Replaces the `known` state of a match. `changed`: when the state became visible here, Unix seconds. */
  put(
    state: MatchState,
    { full, plain, shown }: RenderedEvent,
    known: StoredMatch | undefined,
    changed: number,
  ): void {
    const id = state.event_id;
    const { received_at } = state.cause;
    const moved = known === undefined || LEVELS.some((level) => known[level] !== state[level]);
    if (moved) this.treeVersion += 1;
    const filtered = filteredOf(state);
    const text = JSON.stringify(shown);
    if (known !== undefined && isDeepStrictEqual({ ...known, ...filtered }, { ...known })) {
      // A replaced row would be written to every index again.
      const columns = 'version = ?, changed = ?, received_at = ?, full = ?, plain = ?, state = ?';
      this.sql
        .of(`UPDATE events SET ${columns} WHERE id = ?`)
        .run(state.version, changed, received_at, full, plain, text, id);
    } else {
      const row = { id, version: state.version, changed, received_at, ...filtered, full, plain, state: text };
      this.sql.insert('INSERT OR REPLACE INTO events', row);
    }
    this.#keepSides(state, known !== undefined);
    if (state.status_type === 'live') this.#live?.set(id, shown);
    else this.#live?.delete(id);
  }

  /** Closes the guard of a stored match, whose other facts stay. Returns its state. `changed`: as in `put`. */
  closeGuard(id: number, guard: MatchState['guard'], changed: number): ShownState {
    const shown: ShownState = { ...this.row(id).state, guard };
    const [full, plain] = ['full', 'plain'].map(
      (form) => `${form} = json_set(${form}, '$.guard_reasons', json(?2))`,
    );
    this.sql
      .of(`UPDATE events SET changed = ?3, state = ?4, ${full}, ${plain} WHERE id = ?1`)
      .run(id, JSON.stringify(guard.reasons), changed, JSON.stringify(shown));
    if (this.#live?.has(id)) this.#live.set(id, shown);
    return shown;
  }

  remove(id: number): void {
    this.sql.of('DELETE FROM events WHERE id = ?').run(id);
    this.sql.of('DELETE FROM sides WHERE event_id = ?').run(id);
    this.#live?.delete(id);
  }

  /** Returns the number of events that meet the conditions, and a page of them ordered by start and id. */
  list(conditions: Conditions, form: 'full' | 'plain', paging: Paging): CountedPage<EventRow> {
    return this.sql.page(`${ID_COLUMNS}, ${form} AS json`, 'events', conditions, 'start, id', paging);
  }

  /** Returns an event with all fields; undefined if it is unknown or was deleted. */
  find(id: number): EventRow | undefined {
    const text = `SELECT ${ID_COLUMNS}, full AS json FROM events WHERE id = ? AND hidden = 0`;
    return this.sql.rows<EventRow>(text, id)[0];
  }

  /** As `list`, but returns ids only: a caller reads again only events that have changed. */
  ids(conditions: Conditions, order: MatchOrder, paging: Paging): CountedPage<{ readonly id: number }> {
    return this.sql.page('id', 'events', conditions, `${ORDERS[order]}, id`, paging);
  }

  /** Returns the state of an existing event, and its record in the contract as JSON without details and statistics. */
  row(id: number): { readonly state: ShownState; readonly plain: string } {
    const row = this.sql.of('SELECT state, plain FROM events WHERE id = ?').get(id);
    return { state: JSON.parse(row?.state as string), plain: row?.plain as string };
  }

  /** Returns the teams whose folded name contains all words, those with most matches first; `competitions` null means all. */
  teams(words: readonly string[], competitions: ReadonlySet<number> | null, limit: number): TeamRow[] {
    const conditions = new Conditions().also('e.hidden = 0').among('e.competition_id', competitions);
    for (const word of words) conditions.where('instr(s.folded, ?) > 0', word);
    const text = `SELECT s.team_id AS id, s.name, s.folded, e.competition_id, count(*) AS matches
      FROM sides s JOIN events e ON e.id = s.event_id${conditions.text}
      GROUP BY s.team_id, e.competition_id ORDER BY matches DESC, s.team_id LIMIT ?`;
    return this.sql.rows(text, ...conditions.values, limit);
  }

  /** Returns the live matches that are in play at `now`, Unix seconds, ordered by start and id. */
  live(now: number): ShownState[] {
    const text = "SELECT state FROM events WHERE status_type = 'live' AND hidden = 0";
    this.#live ??= new Map(this.sql.records<ShownState>(text).map((state) => [state.event_id, state]));
    const inPlay = this.#live.values().filter(({ cause }) => now * 1000 - cause.received_at < ABANDONED_MS);
    const start = ({ start_date }: ShownState): string => startOf(start_date);
    return [...inPlay].sort(
      (a, b) => Number(start(a) > start(b)) - Number(start(a) < start(b)) || a.event_id - b.event_id,
    );
  }

  /** Returns the matches that changed last, newest change first; `competitions` null means all. */
  recent(limit: number, competitions: ReadonlySet<number> | null = null): ShownState[] {
    return this.#states(new Conditions().among('competition_id', competitions), 'changed DESC', limit);
  }

  /** Returns the scheduled matches that start at `from` or later, the earliest first. `from`: `YYYY-MM-DD HH:MM:SS`; `competitions` null means all. */
  upcoming(from: string, limit: number, competitions: ReadonlySet<number> | null = null): ShownState[] {
    const conditions = new Conditions()
      .where('status_type = ?', 'scheduled')
      .where('start >= ?', from)
      .among('competition_id', competitions);
    return this.#states(conditions, 'start', limit);
  }

  #states(conditions: Conditions, order: string, limit: number): ShownState[] {
    const { text, values } = conditions.also('hidden = 0');
    return this.sql.records(
      `SELECT state FROM events${text} ORDER BY ${order}, id LIMIT ?`,
      ...values,
      limit,
    );
  }

  /** Returns the state of a match; null if it is unknown or was deleted. */
  state(id: number): ShownState | null {
    const live = this.#live?.get(id);
    if (live !== undefined) return live;
    const json = this.sql.value<string>('SELECT state FROM events WHERE id = ? AND hidden = 0', id);
    return json === undefined ? null : JSON.parse(json);
  }

  /** Returns the state of a match as a new object, for those who keep what they made of the former one; null as of `state`. */
  renewed(id: number): ShownState | null {
    const state = this.state(id);
    if (state === null) return null;
    const copy = { ...state };
    if (this.#live?.has(id)) this.#live.set(id, copy);
    return copy;
  }

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
      this.sql.insert('INSERT INTO sides', { event_id, counter, team_id, name, folded: foldName(name) });
  }
}

/** Returns a start with seconds, as queries compare it; '' for null, which lies outside every window. */
function startOf(date: string | null): string {
  return date === null ? '' : `${date}${' 00:00:00'.slice(Math.max(0, date.length - DAY))}`;
}
