/** Renders an event as the contract shows it from its match state. Pure: equal states give equal text. */

import { LEVELS } from '#contract/rest/tree.ts';
import { clockAt } from '#domain/clock.ts';
import type { ClockRule } from '#domain/clock-rule.ts';
import { playedTimeOf, type ReportedFields, reportedFields } from '#domain/reported-fields.ts';
import { text } from '#domain/values.ts';
import { type JsonObject, toWholeNumber } from '#json/values.ts';
import type { MatchState } from '#records/types.ts';
import { RESULT, SOCCER } from '#soccer/soccer.ts';
import { STATUSES } from '#soccer/statuses.ts';
import { DETAIL_NAMES, RESULT_NAMES, STAT_NAMES } from '../facts/facts.ts';
import { type LevelNames, shownStateOf } from '../store/board-view.ts';
import type { RenderedEvent } from '../store/matches.ts';
import { eventSlug, recordsOf, slugOf } from './fields.ts';

/** Names of the levels above it, which an event does not repeat (spec, rule 1). */
const LEVEL_NAME_FIELDS: ReadonlySet<string> = new Set(
  ['competition', 'season', 'stage', 'group', 'tour', 'area'].flatMap((level) => [
    `${level}_name`,
    `${level}_short_name`,
  ]),
);

/** Returns the name of a status from the catalogue; undefined if unknown. */
type StatusName = (statusId: number) => string | undefined;

/**
 * Renders an event with every field that was ever reported and every field of the spec. A field that was not reported has
 * the provider's empty value: `null`, `''` or 0. Result 2 is the score of match state; it is missing if unknown, never zero.
 */
export function renderEvent(state: MatchState, statusName: StatusName): RenderedEvent {
  const joined = reportedFields(state.fields);
  const reported = readReported(joined);
  const shown = shownStateOf(state, joined);
  const { action: _, events_incidents: __, details, participants: sides, ...rest } = reported.fields;
  const otherFields = Object.fromEntries(
    Object.entries(rest).filter(([name]) => !LEVEL_NAME_FIELDS.has(name)),
  );
  const isSoccer = state.sport_id === SOCCER || state.sport_id === null;
  const participants = renderParticipants(state, sides, isSoccer);
  /** The reported winner or progress, unless results or status were reported later: then what these say. */
  const side = (field: 'winner_id' | 'progress_id', result: number): number | null => {
    const own = toWholeNumber(rest[field]);
    if (!reported.isOlder(field, 'participants', 'status_id')) return own ?? marked(participants, result);
    if (hasResult(participants, result)) return marked(participants, result);
    return state.status_type === 'finished' ? own : null;
  };
  const event = {
    ...otherFields,
    item_status: state.status_type === 'deleted' ? 'deleted' : (text(rest.item_status) ?? 'active'),
    ...identity(state, reported),
    ...status(state, shown.status_name, statusName),
    ...clock(state, playedTimeOf(joined), shown.clock_rule),
    ...otherSpecFields(rest),
    winner_id: side('winner_id', RESULT.winner),
    progress_id: side('progress_id', RESULT.progress),
    // The time of the newest field.
    ut: state.fields.at(-1)?.ut ?? state.cause.ut,
    // Our addition: absent while nothing in match state speaks against its score, as in answers of the provider.
    ...(state.guard.safe ? {} : { guard_reasons: state.guard.reasons }),
  };
  const named = values(details, isSoccer ? DETAIL_NAMES : undefined);
  const withoutNames = named.map(({ short_name: ___, ...detail }) => detail);
  const withoutStats = participants.map(({ stats: ___, ...participant }) => participant);
  // Both forms begin with the same fields, most of their text.
  const start = JSON.stringify(event).slice(0, -1);
  return {
    full: `${start},"details":${JSON.stringify(withoutNames)},"participants":${JSON.stringify(participants)}}`,
    plain: `${start},"participants":${JSON.stringify(withoutStats)}}`,
    shown,
    levelNames: levelNamesOf(reported.fields),
  };
}

function levelNamesOf(fields: JsonObject): Partial<LevelNames> {
  return Object.fromEntries(
    LEVELS.flatMap((level) => {
      const name = text(fields[`${level}_name`]);
      return name === null ? [] : [[level, name]];
    }),
  );
}

/** The fields as they were reported, and their order in time. */
type Reported = {
  readonly fields: JsonObject;
  /** Whether a field was reported before any of its sources; false if it was never reported. */
  isOlder(field: string, ...sources: readonly string[]): boolean;
};

function readReported({ fields, times }: ReportedFields): Reported {
  return {
    fields,
    isOlder(field, ...sources) {
      const own = times.get(field);
      return own !== undefined && sources.some((source) => (times.get(source) ?? own) > own);
    },
  };
}

function identity(state: MatchState, { fields, isOlder }: Reported): JsonObject {
  return {
    id: state.event_id,
    name: state.name ?? '',
    ...(state.name ? { slug: text(fields.slug) ?? eventSlug(state.name, state.event_id) } : {}),
    start_date: state.start_date ?? '',
    ...sportOf(state, fields),
    competition_id: state.competition_id ?? 0,
    season_id: state.season_id ?? 0,
    stage_id: state.stage_id ?? 0,
    group_id: state.group_id ?? 0,
    ...('tour_id' in fields ? { tour_id: toWholeNumber(fields.tour_id) ?? 0 } : {}),
    day: String(fields.day ?? ''),
    round_id: toWholeNumber(fields.round_id),
    round_name: isOlder('round_name', 'round_id') ? '' : (text(fields.round_name) ?? ''),
  };
}

/** The sport, with its name if reported or built in. */
function sportOf({ sport_id }: MatchState, reported: JsonObject): JsonObject {
  const name = text(reported.sport_name) ?? (sport_id === SOCCER ? 'Soccer' : null);
  return { sport_id: sport_id ?? 0, ...(name === null ? {} : { sport_name: name }) };
}

/** `own`: the name that was reported with the status. */
function status(state: MatchState, own: string | null, statusName: StatusName): JsonObject {
  const { status_id } = state;
  const known = status_id === null ? undefined : STATUSES.get(status_id);
  return {
    status_id: status_id ?? 0,
    status_name: own ?? known?.name ?? (status_id === null ? '' : (statusName(status_id) ?? '')),
    status_type: state.status_type ?? '',
    relation_status: state.relation_status ?? '',
    bet_status: state.bet_status ?? '',
  };
}

/**
 * The last reported clock; 0 for a finished match. The match time of soccer is computed, as everywhere else; without a rule
 * for it the reported one is used.
 */
function clock(
  { clock, status_id, status_type }: MatchState,
  played: ClockRule['played'],
  rule: ClockRule,
): JsonObject {
  const isFinished = status_type === 'finished';
  const reading = clock !== null && isFinished ? { ...clock, time: 0, status: 'stopped' } : clock;
  const face = clockAt(reading, status_id, clock?.ut ?? 0, rule);
  return {
    clock_time: isFinished ? 0 : face.clock_time,
    clock_status: clock?.status ?? null,
    played_time: face.played_time ?? (rule.lengths === 'no_clock' ? null : (played?.time ?? null)),
  };
}

function otherSpecFields(reported: JsonObject): JsonObject {
  const series = reported.series as { order?: unknown; event_ids?: unknown } | null | undefined;
  return {
    neutral_venue: reported.neutral_venue === 'yes' ? 'yes' : 'no',
    coverage_type: text(reported.coverage_type) ?? '',
    event_stats_lvl_live: text(reported.event_stats_lvl_live) ?? text(reported.event_stats_lvl) ?? '',
    latency: text(reported.latency),
    verified_result: reported.verified_result ?? 'no',
    series: {
      order: toWholeNumber(series?.order) ?? 0,
      event_ids: Array.isArray(series?.event_ids) ? series.event_ids : [],
    },
  };
}

type Participant = JsonObject & {
  readonly id: number;
  readonly results: { id: number; value: string }[];
  readonly stats: unknown[];
};

function renderParticipants(state: MatchState, sides: unknown, isSoccer: boolean): Participant[] {
  const goals = new Map([
    [1, state.score?.home],
    [2, state.score?.away],
  ]);
  return recordsOf(sides)
    .filter(({ id }) => toWholeNumber(id) !== null)
    .map((record) => {
      const counter = toWholeNumber(record.counter) ?? 0;
      const results = values(record.results, isSoccer ? RESULT_NAMES : undefined).filter(
        ({ id }) => id !== RESULT.score,
      );
      const score = goals.get(counter);
      if (score !== undefined)
        results.push({ id: RESULT.score, short_name: 'Result', name: 'Result', value: String(score) });
      const id = toWholeNumber(record.id) ?? 0;
      const name = text(record.name) ?? '';
      return {
        ...withoutNull(record),
        counter,
        id,
        name,
        short_name: text(record.short_name) ?? '',
        acronym: text(record.acronym) ?? '',
        ...(name === '' ? {} : { slug: text(record.slug) ?? slugOf(name, id) }),
        ...sportOf(state, record),
        stats: values(record.stats, isSoccer ? STAT_NAMES : undefined),
        results,
      };
    })
    .sort((a, b) => a.counter - b.counter);
}

/** Whether any participant has a result of this id. */
function hasResult(participants: readonly Participant[], resultId: number): boolean {
  return participants.some(({ results }) => results.some(({ id }) => id === resultId));
}

/** Returns the id of the participant whose result of this id is 1, such as the winner; null if there is none. */
function marked(participants: readonly Participant[], resultId: number): number | null {
  const found = participants.find(({ results }) =>
    results.some(({ id, value }) => id === resultId && value === '1'),
  );
  return found?.id ?? null;
}

/** Returns a list of `{id, value}` with names where known; a value is text, '' if unknown. */
function values(list: unknown, names: ReadonlyMap<number, string> | undefined) {
  return recordsOf(list).map(({ id, value, ...more }) => {
    const known = toWholeNumber(id) ?? 0;
    const name = names?.get(known);
    return {
      id: known,
      ...(name === undefined ? {} : { short_name: name, name }),
      ...more,
      value: String(value ?? ''),
    };
  });
}

function withoutNull(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
