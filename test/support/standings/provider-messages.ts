import { normalized } from '#ingestion/testing/normalized.ts';
import type { NormalizedMessage } from '#records/types.ts';

/** Competition, season, stage and group of a match; null fields are left out of the event. */
export type MatchLevels = {
  readonly competition: number;
  readonly season: number;
  readonly stage: number | null;
  readonly group: number | null;
};

/** The content of one provider message about a match. */
export type MatchReport = {
  readonly event: number;
  readonly levels: MatchLevels;
  /** Unix seconds. */
  readonly ut: number;
  readonly round: number;
  readonly start: string;
  readonly home: { readonly id: number; readonly name: string };
  readonly away: { readonly id: number; readonly name: string };
  readonly status: readonly [id: number, type: string];
  /** Results by id, home and away. */
  readonly results: Readonly<Record<number, readonly [home: number, away: number]>>;
  /** Other fields of the event. */
  readonly fields?: Readonly<Record<string, unknown>>;
};

export const SCHEDULED = [1, 'scheduled'] as const;
export const HALFTIME = [9, 'live'] as const;
export const FINISHED = [11, 'finished'] as const;

/** Returns an event message. */
export function eventOf(report: MatchReport): NormalizedMessage {
  const id = `${report.event}-${report.ut}`;
  return normalized({ id, type: 'event', ut: report.ut, data: { event: event(report) } }, report.ut * 1_000);
}

/** Returns an incident message with its event; `incident` has at least an id and a type. */
export function incidentOf(
  report: MatchReport,
  incident: Readonly<Record<string, unknown>>,
): NormalizedMessage {
  const data = {
    incident: { action: 'insert', confirmation: 'confirmed', ...incident },
    event: event(report),
  };
  const id = `${report.event}-${report.ut}-${String(incident.id)}`;
  return normalized({ id, type: 'incident', ut: report.ut, data }, report.ut * 1_000);
}

function event(report: MatchReport): object {
  const { levels, status, results } = report;
  const side = (team: MatchReport['home'], index: 0 | 1) => ({
    id: team.id,
    counter: index + 1,
    name: team.name,
    acronym: team.name.slice(0, 3).toUpperCase(),
    results: Object.entries(results).map(([id, value]) => ({ id: Number(id), value: String(value[index]) })),
  });
  return {
    id: report.event,
    action: 'update',
    name: `${report.home.name} - ${report.away.name}`,
    sport_id: 5,
    competition_id: levels.competition,
    season_id: levels.season,
    stage_id: levels.stage,
    group_id: levels.group,
    round_id: report.round,
    start_date: report.start,
    status_id: status[0],
    status_type: status[1],
    participants: [side(report.home, 0), side(report.away, 1)],
    ...report.fields,
  };
}
