import { INCIDENT_TYPES_OF_SOCCER } from '#contract/incident-types.ts';
import type { IncidentsQuery } from '#contract/rest/provider.ts';
import { POSSIBLE_INCIDENTS } from '#contract/soccer.ts';
import type { Incident, MatchIncident, MatchTransition } from '#topics/generated/types.ts';
import { type ShownIncident, type StoryStep, storyStepOf } from './board-view.ts';
import { classOf, subjectOf } from './changes.ts';
import { Conditions, type CountedPage, SqlView } from './sql.ts';

/** Kinds of transitions that say that a record came again, otherwise. */
const UPDATES = new Set(['incident_confirmed', 'incident_cancelled', 'incident_amended']);
/** Kinds that belong to the story of a match whatever incident they are of. */
const STORY_KINDS = new Set([
  'goal_cancelled',
  'goal_reinstated',
  'score_changed',
  'firm_score_changed',
  'status_changed',
  'bet_status_changed',
  'guard_changed',
  'result_verified',
]);

const FIRST = 'SELECT d.first FROM deliveries d WHERE d.event_id = i.event_id AND d.id = i.id';
const SORTS = { id: 'id', occurred_at: `(${FIRST})` } as const;

/** An incident as it is written, and whether it matters. */
export type RenderedIncident = { readonly json: string; readonly important: boolean };

/** The incidents of matches, with their history. */
export class IncidentView extends SqlView {
  /** Writes a register and its record, unless one is known that is as new; whether it was written. */
  put(register: MatchIncident, incident: Incident, { json, important }: RenderedIncident): boolean {
    const { event_id, id, version, removed, cause } = register;
    const written = this.sql.insertNewer('INSERT INTO incidents', {
      event_id,
      id,
      version,
      removed: removed ? 1 : 0,
      incident_id: incident.incident_id,
      participant_id: incident.participant_id,
      confirmation: incident.confirmation,
      event_status_id: incident.event_status_id,
      event_time: incident.event_time,
      parent_id: incident.parent_id,
      ut: incident.ut,
      received_at: cause.received_at,
      important: important ? 1 : 0,
      json,
    });
    if (written) this.#delivered(event_id, id, cause.received_at);
    return written;
  }

  /** A repeated or listed incident was delivered before: the register only has the time of its last change. */
  #delivered(eventId: number, id: string, receivedAt: number): void {
    this.sql
      .of(
        `INSERT INTO deliveries VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET first = excluded.first WHERE excluded.first < first`,
      )
      .run(eventId, id, receivedAt);
  }

  /** Adds a transition to the story of its match. `changed` is when it became visible, Unix seconds of this service's clock. */
  applyTransition(transition: MatchTransition, changed: number): void {
    const { event_id, version, n, kind, incident_id, incident_type } = transition;
    if (incident_id !== null && UPDATES.has(kind)) {
      this.sql.of('INSERT OR IGNORE INTO updated_incidents VALUES (?, ?)').run(event_id, incident_id);
    }
    if (incident_id !== null) this.#delivered(event_id, incident_id, transition.cause.received_at);
    const matters = kind.startsWith('incident_') && incident_type !== null && isStory(incident_type);
    if (!matters && !STORY_KINDS.has(kind)) return;
    const step = storyStepOf(transition);
    this.sql.insert('INSERT OR IGNORE INTO stories', {
      event_id,
      version,
      n,
      changed,
      class: classOf(step),
      subject: subjectOf(step),
      json: JSON.stringify(step),
    });
  }

  /** How many incidents a query asks for, and the JSON of those of its page. */
  page(query: IncidentsQuery): CountedPage<{ readonly json: string }> {
    const { eventId, deleted, updated, sort_type, sort_order } = query;
    const conditions = new Conditions()
      .where('event_id = ?', eventId)
      .where('removed = ?', deleted === 'yes' ? 1 : 0)
      .where('confirmation = ?', query.confirmation)
      .where('participant_id = ?', query.participant_id);
    const came = 'EXISTS (SELECT 1 FROM updated_incidents u WHERE u.event_id = i.event_id AND u.id = i.id)';
    if (updated !== undefined) conditions.also(updated === 'yes' ? came : `NOT ${came}`);
    const order = `${SORTS[sort_type]} ${sort_order}, id ${sort_order}`;
    return this.sql.page('json', 'incidents i', conditions, order, query);
  }

  /** The JSON of the incidents of an event that stand, by id. */
  standing(eventId: number, which: 'all' | 'important'): string[] {
    const only = which === 'important' ? ' AND important = 1' : '';
    const text = `SELECT json FROM incidents WHERE event_id = ? AND removed = 0${only} ORDER BY id`;
    return this.sql.column<string>(text, eventId);
  }

  /** All incidents of an event, removed ones too, by id. */
  shown(eventId: number): ShownIncident[] {
    const text = `SELECT id, removed, incident_id, participant_id, confirmation, event_status_id, event_time, parent_id, ut,
        received_at, important, json
      FROM incidents WHERE event_id = ? ORDER BY id`;
    return this.sql.rows<IncidentRow>(text, eventId).map(({ json, ...row }) => ({
      ...row,
      removed: row.removed === 1,
      important: row.important === 1,
      record: JSON.parse(json),
    }));
  }

  story(eventId: number): StoryStep[] {
    return this.sql.records('SELECT json FROM stories WHERE event_id = ? ORDER BY version, n', eventId);
  }
}

type IncidentRow = Omit<ShownIncident, 'removed' | 'important' | 'record'> & {
  readonly removed: number;
  readonly important: number;
  readonly json: string;
};

function isStory(type: number): boolean {
  return INCIDENT_TYPES_OF_SOCCER.get(type)?.important === true || POSSIBLE_INCIDENTS.has(type);
}
