/** The fields of an event as its messages reported them, read from match state. */
import type { FieldsAt, MatchState } from '#records/types.ts';
import { type ClockRule, clockRule } from './clock-rule.ts';
import { count, list, long, object, text } from './values.ts';

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
  const sides = new Map<number, Readonly<Record<string, unknown>>>();
  const results = new Map<string, { readonly at: number; readonly value: unknown }>();
  for (const [at, { ut, json }] of groups.entries()) {
    const { participants, ...others } = JSON.parse(json);
    Object.assign(fields, others);
    for (const name of Object.keys(others)) times.set(name, ut);
    if (participants === undefined) continue;
    times.set('participants', ut);
    for (const item of list(participants)) {
      const { results: value, results_of, ...own } = object(item) ?? {};
      const counter = Number(own.counter);
      if (own.id !== undefined || !sides.has(counter)) sides.set(counter, own);
      if (value !== undefined) results.set(resultsKey(counter, own.id ?? results_of), { at, value });
    }
  }
  const known = [...sides].sort(([a], [b]) => a - b);
  if (known.length > 0) {
    fields.participants = known.map(([counter, own]) => {
      const ofTeam = results.get(resultsKey(counter, own.id));
      const ofCounter = results.get(resultsKey(counter, undefined));
      const latest = (ofCounter?.at ?? -1) > (ofTeam?.at ?? -1) ? ofCounter : ofTeam;
      return latest === undefined ? own : { ...own, results: latest.value };
    });
  }
  return { fields, times };
}

/** Results belong to their team; those that a message reported without one belong to the counter (law 2). */
function resultsKey(counter: number, team: unknown): string {
  const id = long(team);
  return id === null ? `counter ${counter}` : `team ${id}`;
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
