/** Renders an event from its match state, and an incident from its register, as the contract shows them. Pure: equal states give equal text. */

import { withFlags } from '#contract/provider-message.ts';
import { LEVELS } from '#contract/rest/tree.ts';
import { type ClockRule, clockAt } from '#domain/clock.ts';
import { incidentObject, yesNo, yesNoOrNull } from '#domain/event.ts';
import { isOlder, playedTimeOf } from '#domain/event-facts.ts';
import { EventRegister } from '#domain/event-register.ts';
import { text } from '#domain/values.ts';
import { otherFields, writeRecord } from '#json/records.ts';
import { type JsonObject, toWholeNumber } from '#json/values.ts';
import type {
  CatalogueRecord,
  EventParticipant,
  Incident,
  MatchState,
  ReportedValue,
} from '#records/types.ts';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { RESULT, SOCCER } from '#soccer/soccer.ts';
import { STATUSES } from '#soccer/statuses.ts';
import { DETAIL_NAMES, RESULT_NAMES, STAT_NAMES } from '../facts/facts.ts';
import { type LevelNames, shownStateOf } from '../store/board-view.ts';
import type { RenderedIncident } from '../store/incidents.ts';
import { eventSlug, slugOf, withoutNulls } from './fields.ts';

/** Names of the levels above it, which an event does not repeat (spec, rule 1). */
const LEVEL_NAME_FIELDS: ReadonlySet<string> = new Set(
  ['competition', 'season', 'stage', 'group', 'tour', 'area'].flatMap((level) => [
    `${level}_name`,
    `${level}_short_name`,
  ]),
);

/** Returns the name of a status from the catalogue; undefined if unknown. */
type StatusName = (statusId: number) => string | undefined;

/** Renders every reported field and every field of the spec, unknown ones with the provider's empty value. Result 2 is missing if unknown, never zero. */
export function renderEvent(state: MatchState, statusName: StatusName) {
  const reported = EventRegister.restore(state.reports);
  const shown = shownStateOf(state, reported);
  const { events_incidents: _, ...others } = otherFields(reported.others());
  const isSoccer = state.sport_id === SOCCER || state.sport_id === null;
  const participants = renderParticipants(state, reported.sides(), isSoccer);
  /** The reported winner or progress, unless results or status were reported later: then what these say. */
  const side = (field: 'winner_id' | 'progress_id', result: number): number | null => {
    const own = reported.value(field) ?? null;
    const marks = participants.flatMap(({ id, results }) =>
      results.flatMap((one) => (one.id === result ? [{ id, isSet: one.value === '1' }] : [])),
    );
    const marked = marks.find(({ isSet }) => isSet)?.id ?? null;
    if (!isOlder(reported, field, 'participants', 'status_id')) return own ?? marked;
    if (marks.length > 0) return marked;
    return state.status_type === 'finished' ? own : null;
  };
  const event = {
    ...Object.fromEntries(
      Object.entries(withoutNulls(others)).filter(([name]) => !LEVEL_NAME_FIELDS.has(name)),
    ),
    ...(reported.value('area_id') === undefined ? {} : { area_id: reported.value('area_id') }),
    item_status: state.status_type === 'deleted' ? 'deleted' : (reported.value('item_status') ?? 'active'),
    ...identity(state, reported, others),
    ...status(state, shown.status_name, statusName),
    ...clock(state, playedTimeOf(reported), shown.clock_rule),
    ...otherSpecFields(reported),
    winner_id: side('winner_id', RESULT.winner),
    progress_id: side('progress_id', RESULT.progress),
    // The time of the newest field.
    ut: state.reports.at(-1)?.ut ?? state.cause.ut,
    // Our addition: absent while nothing in match state speaks against its score, as in answers of the provider.
    ...(state.guard.safe ? {} : { guard_reasons: state.guard.reasons }),
  };
  const named = values(reported.value('details') ?? [], isSoccer ? DETAIL_NAMES : undefined);
  const details = JSON.stringify(named.map(({ short_name: ___, ...detail }) => detail));
  const withoutStats = participants.map(({ stats: ___, ...participant }) => participant);
  // Both forms begin with the same fields, most of their text.
  const start = JSON.stringify(event).slice(0, -1);
  return {
    full: `${start},"details":${details},"participants":${JSON.stringify(participants)}}`,
    plain: `${start},"participants":${JSON.stringify(withoutStats)}}`,
    shown,
    levelNames: levelNamesOf(others),
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

function identity(state: MatchState, event: EventRegister, fields: JsonObject): JsonObject {
  return {
    id: state.event_id,
    name: state.name ?? '',
    ...(state.name ? { slug: text(fields.slug) ?? eventSlug(state.name, state.event_id) } : {}),
    start_date: state.start_date ?? '',
    ...sportOf(state, event.value('sport_name')),
    competition_id: state.competition_id ?? 0,
    season_id: state.season_id ?? 0,
    stage_id: state.stage_id ?? 0,
    group_id: state.group_id ?? 0,
    ...('tour_id' in fields ? { tour_id: toWholeNumber(fields.tour_id) ?? 0 } : {}),
    day: event.value('day') ?? '',
    round_id: event.value('round_id') ?? null,
    round_name: isOlder(event, 'round_name', 'round_id') ? '' : (event.value('round_name') ?? ''),
  };
}

/** The sport, with its name if reported or built in. */
function sportOf({ sport_id }: MatchState, reported: string | null = null): JsonObject {
  const name = reported ?? (sport_id === SOCCER ? 'Soccer' : null);
  return { sport_id: sport_id ?? 0, ...(name === null ? {} : { sport_name: name }) };
}

/** `own`: the name that was reported with the status. */
function status(state: MatchState, own: string | null, statusName: StatusName): JsonObject {
  const { status_id } = state;
  const known = STATUSES.get(status_id);
  return {
    status_id: status_id ?? 0,
    status_name: own ?? known?.name ?? (status_id === null ? '' : (statusName(status_id) ?? '')),
    status_type: state.status_type ?? '',
    relation_status: state.relation_status ?? '',
    bet_status: state.bet_status ?? '',
  };
}

/** The last reported clock; 0 for a finished match. Match time is computed where a rule for it is known, else reported. */
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

function otherSpecFields(event: EventRegister): JsonObject {
  const series = event.value('series');
  return {
    neutral_venue: yesNo(event.value('neutral_venue') === true),
    coverage_type: event.value('coverage_type') ?? '',
    event_stats_lvl_live: event.value('event_stats_lvl_live') ?? event.value('event_stats_lvl') ?? '',
    ...withoutNulls({
      event_stats_lvl: event.value('event_stats_lvl') ?? null,
      source: event.value('source') ?? null,
      ft_only: yesNoOrNull(event.value('ft_only') ?? null),
      scoutsfeed: yesNoOrNull(event.value('scoutsfeed') ?? null),
    }),
    latency: event.value('latency') ?? null,
    venue_id: event.value('venue_id') ?? '',
    verified_result: yesNo(event.value('verified_result') === true),
    series: { order: series?.order ?? 0, event_ids: series?.event_ids ?? [] },
  };
}

function renderParticipants(state: MatchState, sides: readonly EventParticipant[], isSoccer: boolean) {
  const goals = [undefined, state.score?.home, state.score?.away];
  return sides.map((reported) => {
    const record = writeRecord(reported);
    const counter = reported.counter ?? 0;
    const results = values(reported.results, isSoccer ? RESULT_NAMES : undefined).filter(
      ({ id }) => id !== RESULT.score,
    );
    const score = goals[counter];
    if (score !== undefined)
      results.push({ id: RESULT.score, short_name: 'Result', name: 'Result', value: String(score) });
    const id = reported.id ?? 0;
    const name = reported.name ?? '';
    return {
      ...withoutNulls(record),
      counter,
      id,
      name,
      short_name: reported.short_name ?? '',
      acronym: reported.acronym ?? '',
      ...(name === '' ? {} : { slug: text(record.slug) ?? slugOf(name, id) }),
      ...sportOf(state, text(record.sport_name)),
      stats: values(reported.stats, isSoccer ? STAT_NAMES : undefined),
      results,
    };
  });
}

/** Returns a list of `{id, value}` with names where known; a value is text, '' if unknown. */
function values(list: readonly ReportedValue[], names: ReadonlyMap<number, string> | undefined) {
  return list.map((reported) => {
    const { id } = reported;
    const known = names?.get(id);
    return {
      id,
      ...(known === undefined ? {} : { short_name: known, name: known }),
      ...writeRecord(reported),
      value: reported.value ?? '',
    };
  });
}

/** Returns an incident type of the provider's catalogue; null if unknown. */
type IncidentTypeRecord = (incidentId: number) => Pick<CatalogueRecord, 'name' | 'incident'> | null;

/**
 * Renders the provider's record with every field of the spec's DTO, without the one that only the feed has. A missing field comes from its type in the provider's
 * catalogue, else from the built-in type; flags of an unknown type are `no`. `isMissing` adds `missing`, our addition to the contract:
 * the provider's latest list omits the incident, and nothing proves that it was removed (law 3).
 */
export function renderIncident(
  incident: Incident,
  typeRecord: IncidentTypeRecord,
  isMissing = false,
): RenderedIncident {
  const type = INCIDENT_TYPES_OF_SOCCER.get(incident.incident_id);
  const listed = typeRecord(incident.incident_id);
  const flagged = withFlags(incident, listed?.incident);
  // Only the feed's incidents carry it (spec, "Clock model").
  const { period_timer: _, ...reported } = incidentObject(flagged);
  const phase = STATUSES.get(incident.event_status_id);
  const shown: JsonObject = {
    ...reported,
    incident_name: incident.incident_name ?? listed?.name ?? type?.name ?? '',
    event_status_name: incident.event_status_name ?? phase?.name ?? null,
    for:
      incident.counts_for ??
      listed?.incident?.for ??
      type?.for ??
      (incident.participant_id === null ? 'none' : 'own'),
    properties: collection(reported.properties),
    additional_info: collection(reported.additional_info),
    ...(isMissing ? { missing: 'yes' } : {}),
  };
  return { json: JSON.stringify(shown), important: flagged.important === true };
}

function collection(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? value : {};
}
