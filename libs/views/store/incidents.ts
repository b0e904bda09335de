import type { IncidentsQuery, Paging } from '#contract/rest/provider.ts';
import type { Incident, MatchIncident, MatchTransition } from '#records/types.ts';
import { type ScoringIncident, type ShownIncident, type StoryStep, storyStepOf } from './board-view.ts';
import { STANDING_YELLOW } from './schema.ts';
import { Conditions, type CountedPage, SqlView } from './sql.ts';
import { classOf, isStoryStep, subjectOf } from './story-steps.ts';

/** Kinds of transitions that change an existing incident. */
const UPDATES = new Set(['incident_confirmed', 'incident_cancelled', 'incident_amended']);

const FIRST = 'SELECT d.first FROM deliveries d WHERE d.event_id = i.event_id AND d.id = i.id';
const SORTS = { id: 'id', occurred_at: `(${FIRST})` } as const;

/** The stored JSON of an incident, and whether it is important. */
export type RenderedIncident = { readonly json: string; readonly important: boolean };

export class IncidentView extends SqlView {
  /** Stores a register and its record: the last one in the log counts, as positions are stored with what they pass. */
  put(register: MatchIncident, incident: Incident, { json, important }: RenderedIncident): void {
    const { event_id, id, removed, cause } = register;
    const { received_at } = cause;
    const { incident_id, participant_id, confirmation, event_status_id, event_time, parent_id, ut } =
      incident;
    const known = { incident_id, participant_id, confirmation, event_status_id, event_time, parent_id, ut };
    const flags = { removed: Number(removed), important: Number(important) };
    this.sql.insert('INSERT OR REPLACE INTO incidents', {
      event_id,
      id,
      ...known,
      received_at,
      ...flags,
      json,
    });
    this.#noteDelivery(event_id, id, received_at);
  }

  /** Stores the earliest delivery of an incident: its register only has the time of its last change. Unix milliseconds. */
  #noteDelivery(eventId: number, id: string, receivedAt: number): void {
    this.sql
      .of(
        `INSERT INTO deliveries VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET first = excluded.first WHERE excluded.first < first`,
      )
      .run(eventId, id, receivedAt);
  }

  /** Adds a transition to the story of its match. `changed`: the time at which it became visible, Unix seconds. */
  applyTransition(transition: MatchTransition, changed: number): void {
    const { event_id, version, n, kind, incident_id } = transition;
    if (incident_id !== null && UPDATES.has(kind))
      this.sql.of('INSERT OR IGNORE INTO updated_incidents VALUES (?, ?)').run(event_id, incident_id);
    if (incident_id !== null) this.#noteDelivery(event_id, incident_id, transition.cause.received_at);
    if (!isStoryStep(transition)) return;
    const step = storyStepOf(transition);
    const about = { class: classOf(step), subject: subjectOf(step) };
    const row = { event_id, version, n, changed, ...about, json: JSON.stringify(step) };
    this.sql.insert('INSERT OR IGNORE INTO stories', row);
  }

  /** Returns the number of incidents that match a query, and the JSON of those on its page. */
  page(query: IncidentsQuery): CountedPage<{ readonly json: string }> {
    const { eventId, deleted, updated, sort_type, sort_order } = query;
    const conditions = new Conditions()
      .where('event_id = ?', eventId)
      .where('removed = ?', deleted === 'yes' ? 1 : 0)
      .where('confirmation = ?', query.confirmation)
      .where('participant_id = ?', query.participant_id);
    const isUpdated =
      'EXISTS (SELECT 1 FROM updated_incidents u WHERE u.event_id = i.event_id AND u.id = i.id)';
    if (updated !== undefined) conditions.also(updated === 'yes' ? isUpdated : `NOT ${isUpdated}`);
    const order = `${SORTS[sort_type]} ${sort_order}, id ${sort_order}`;
    return this.sql.page('json', 'incidents i', conditions, order, query);
  }

  /** Returns the JSON of an event's incidents that are not removed, ordered by id. */
  standing(eventId: number, which: 'all' | 'important'): string[] {
    const only = which === 'important' ? ' AND important = 1' : '';
    const text = `SELECT json FROM incidents WHERE event_id = ? AND removed = 0${only} ORDER BY id`;
    return this.sql.column<string>(text, eventId);
  }

  /** Returns all incidents of an event, removed ones included, ordered by id. */
  shown(eventId: number): ShownIncident[] {
    const text = 'SELECT * FROM incidents WHERE event_id = ? ORDER BY id';
    return this.sql.rows<IncidentRow>(text, eventId).map(({ json, event_id: _, ...row }) => ({
      ...row,
      removed: row.removed === 1,
      important: row.important === 1,
      record: JSON.parse(json),
    }));
  }

  /** Returns what decides about the incidents with these ids, by id; without those that are unknown. */
  scoring(eventId: number, ids: readonly string[]): ReadonlyMap<string, ScoringIncident> {
    const text = `SELECT id, incident_id, participant_id, event_status_id, json ->> '$.for' AS counts_for
      FROM incidents WHERE event_id = ? AND id IN (SELECT value FROM json_each(?))`;
    const rows = this.sql.rows<ScoringIncident & { id: string }>(text, eventId, JSON.stringify(ids));
    return new Map(rows.map(({ id, ...row }) => [id, row]));
  }

  /** Returns the number of yellow cards that are neither removed nor cancelled, by the id of the team. */
  yellowCards(eventId: number): ReadonlyMap<number, number> {
    const text = `SELECT participant_id AS team, count(*) AS cards FROM incidents
      WHERE event_id = ? AND participant_id IS NOT NULL AND ${STANDING_YELLOW} GROUP BY participant_id`;
    const rows = this.sql.rows<{ team: number; cards: number }>(text, eventId);
    return new Map(rows.map(({ team, cards }) => [team, cards]));
  }

  /** Returns when the guard of a match closed, Unix milliseconds; null while it is open, and where that is not known. */
  guardClosedAt(eventId: number): number | null {
    const changes = `FROM stories WHERE event_id = ?1 AND subject = 'guard_changed'`;
    const text = `SELECT min(json ->> 'received_at') ${changes}
      AND version > coalesce((SELECT max(version) ${changes} AND json ->> '$.guard.safe'), 0)`;
    return this.sql.column<number | null>(text, eventId)[0] ?? null;
  }

  story(eventId: number): StoryStep[] {
    return this.sql.records('SELECT json FROM stories WHERE event_id = ? ORDER BY version, n', eventId);
  }
}

type IncidentRow = Omit<ShownIncident, 'removed' | 'important' | 'record'> &
  Readonly<Record<'event_id' | 'removed' | 'important', number>> & { readonly json: string };

/** The change of one subject by one version of a match. */
export type SubjectChange = {
  readonly event_id: number;
  /** The steps of the subject, in order; at least one. */
  readonly own: readonly StoryStep[];
  /** All steps of the version, those of the score included. */
  readonly steps: readonly StoryStep[];
  /** The goal that begins to count for the other team with this change: `own` is that of the score then. Null for another change. */
  readonly moved: string | null;
};

type SubjectKey = Pick<SubjectChange, 'event_id' | 'moved'> & {
  readonly version: number;
  readonly subject: string;
};

/** All steps, and for each goal that moves to the other team one more: it is taken back from one, and a goal of the other. */
const STEPS = `(
  SELECT event_id, version, changed, class, subject, NULL AS moved FROM stories
  UNION ALL SELECT t.event_id, t.version, t.changed, 'goal', 'score', g.value
  FROM stories t, json_each(t.json, '$.goals') g
  WHERE t.class = 'score' AND EXISTS (SELECT 1 FROM stories c WHERE c.event_id = t.event_id AND c.version = t.version
    AND c.class = 'taken_back' AND c.subject = g.value))`;

/** Selects the steps of the same version that are about goals. */
const GOALS_OF_VERSION =
  "FROM stories g WHERE g.event_id = s.event_id AND g.version = s.version AND g.class IN ('goal', 'taken_back')";
/** Leaves out what the change of a goal already shows: the score, and the single cancellation of a single goal. */
const NOT_SHOWN_BY_GOAL = `(s.class NOT IN ('score', 'cancellation')
  OR (s.class = 'score' AND NOT EXISTS (SELECT 1 ${GOALS_OF_VERSION}))
  OR (s.class = 'cancellation' AND ((SELECT count(DISTINCT g.subject) ${GOALS_OF_VERSION}) <> 1
    OR (SELECT count(DISTINCT c.subject) FROM stories c
        WHERE c.event_id = s.event_id AND c.version = s.version AND c.class = 'cancellation') <> 1)))`;
const ABOUT_GOALS = "s.class IN ('taken_back', 'goal', 'cancellation', 'score')";

/** The changes of all matches since a given time: the steps of their stories, those about goals first. */
export class ChangeView extends SqlView {
  /** Returns the changes that meet the conditions on steps `s` and `events e`, the latest first: a page may repeat one of the page before, never miss one. */
  page(conditions: Conditions, { limit, page }: Paging): CountedPage<SubjectChange> {
    const all = conditions.also(NOT_SHOWN_BY_GOAL);
    const grouped = `FROM ${STEPS} s JOIN events e ON e.id = s.event_id${all.text}
      GROUP BY s.event_id, s.version, s.subject, s.moved`;
    const total = this.sql.value<number>(`SELECT count(*) FROM (SELECT 1 ${grouped})`, ...all.values) ?? 0;
    const text = `SELECT s.event_id, s.version, s.subject, s.moved ${grouped}
      ORDER BY max(${ABOUT_GOALS}) DESC, max(s.changed) DESC, s.event_id, s.version DESC, s.moved DESC, s.subject
      LIMIT ? OFFSET ?`;
    const items = this.sql
      .rows<SubjectKey>(text, ...all.values, limit, (page - 1) * limit)
      .map(({ event_id, version, subject, moved }) => {
        const story = 'SELECT json FROM stories WHERE event_id = ? AND version = ? ORDER BY n';
        const steps = this.sql.records<StoryStep>(story, event_id, version);
        return { event_id, own: steps.filter((step) => subjectOf(step) === subject), steps, moved };
      });
    return { total, items };
  }
}
