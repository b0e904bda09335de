/** The fields of an event as its messages reported them, read from match state. */
import type { FieldsAt, MatchState } from '#records/types.ts';
import { type ClockRule, clockRule } from './clock-rule.ts';
import { count, list, object, text } from './values.ts';

/** The last reported value of each field. A list has some fields and a message others, so their times differ. */
export type ReportedFields = {
  /** By name. `participants` in the order of their counters, each with the results that were last reported for it. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Unix seconds of the last report, by name. */
  readonly times: ReadonlyMap<string, number>;
};

/** Joins the groups of fields of a match, oldest first, into the event that they report together (law 2). */
export function reportedFields(groups: readonly FieldsAt[]): ReportedFields {
  const fields: Record<string, unknown> = {};
  const times = new Map<string, number>();
  const sides = new Map<unknown, Record<string, unknown>>();
  for (const { ut, json } of groups) {
    const { participants, ...others } = JSON.parse(json);
    Object.assign(fields, others);
    for (const name of Object.keys(others)) times.set(name, ut);
    if (participants === undefined) continue;
    times.set('participants', ut);
    for (const reported of list(participants)) joinSide(sides, object(reported) ?? {});
  }
  if (sides.size > 0) {
    fields.participants = [...sides].sort(([a], [b]) => Number(a) - Number(b)).map(([, side]) => side);
  }
  return { fields, times };
}

/** Joins what a group has of a side: its own fields, its results, or both. */
function joinSide(
  sides: Map<unknown, Record<string, unknown>>,
  reported: Readonly<Record<string, unknown>>,
): void {
  const { results, ...own } = reported;
  const counter = Number(own.counter);
  const known = sides.get(counter);
  const hasOwn = Object.keys(own).length > 1;
  const latest = results ?? known?.results;
  const side = hasOwn ? own : { ...known, counter: known?.counter ?? own.counter };
  sides.set(counter, latest === undefined ? side : { ...side, results: latest });
}

/** Returns the match time that was reported last; null where the clock or the status was reported later. */
export function playedTimeOf({ fields, times }: ReportedFields): ClockRule['played'] {
  const time = count(fields.played_time);
  const ut = times.get('played_time') ?? 0;
  const isStale = ['clock_time', 'status_id'].some((name) => (times.get(name) ?? 0) > ut);
  return time === null || isStale ? null : { time, ut };
}

/** Returns the name of the status as reported; null where none was reported, or the status was reported later. */
export function statusNameOf({ fields, times }: ReportedFields): string | null {
  const isStale = (times.get('status_id') ?? 0) > (times.get('status_name') ?? 0);
  return isStale ? null : text(fields.status_name);
}

/** Returns the clock rule of a match state. `reported`: its fields, where they were joined already. */
export function clockRuleOf(
  { sport_id, fields }: Pick<MatchState, 'sport_id' | 'fields'>,
  reported: ReportedFields = reportedFields(fields),
): ClockRule {
  const { details, participants } = reported.fields;
  return clockRule(sport_id, { details, participants, played: playedTimeOf(reported) });
}
