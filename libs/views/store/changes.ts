/** The changes of all matches since a given time: the steps of their stories, those about goals first. */
import type { Paging } from '#contract/rest/provider.ts';
import type { StoryStep } from './board-view.ts';
import { type Conditions, type CountedPage, SqlView } from './sql.ts';
import { subjectOf } from './story-steps.ts';

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
/**
 * Leaves out changes that the change of a goal already shows: the score, and the single cancellation of a single goal. A
 * snapshot with several cancellations or goals shows each.
 */
const NOT_SHOWN_BY_GOAL = `(s.class NOT IN ('score', 'cancellation')
  OR (s.class = 'score' AND NOT EXISTS (SELECT 1 ${GOALS_OF_VERSION}))
  OR (s.class = 'cancellation' AND ((SELECT count(DISTINCT g.subject) ${GOALS_OF_VERSION}) <> 1
    OR (SELECT count(DISTINCT c.subject) FROM stories c
        WHERE c.event_id = s.event_id AND c.version = s.version AND c.class = 'cancellation') <> 1)))`;
const ABOUT_GOALS = "s.class IN ('taken_back', 'goal', 'cancellation', 'score')";

export class ChangeView extends SqlView {
  /**
   * Returns the changes that meet the conditions on steps `s` and `events e`: those about goals first, each part latest
   * first. So a change that arrives between two pages makes the second page repeat one, never miss one.
   */
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
        const steps = this.#steps(event_id, version);
        return { event_id, own: steps.filter((step) => subjectOf(step) === subject), steps, moved };
      });
    return { total, items };
  }

  #steps(eventId: number, version: number): StoryStep[] {
    const text = 'SELECT json FROM stories WHERE event_id = ? AND version = ? ORDER BY n';
    return this.sql.records(text, eventId, version);
  }
}
