/** Renders an event with a non-default value in every field, then with whatever else a provider may write in a field; then its incidents. */
import { describe, expect, test } from 'vitest';
import { applyMessage, matchState, newMatch } from '#domain/match.ts';
import { incident } from '#domain/testing/messages.ts';
import { eventMessage } from '#ingestion/testing/messages.ts';
import type { Incident } from '#records/types.ts';
import { catalogueValue } from '../testing/records.ts';
import { normalized } from '../testing/world.ts';
import { renderEvent, renderIncident } from './event.ts';

const T = 1_790_000_000;
type Fields = Readonly<Record<string, unknown>>;

/** Returns the state after these reports of an event, a minute apart. */
function stateOf(...reports: readonly Fields[]) {
  const match = newMatch(7_000_001);
  reports.forEach((fields, offset) => {
    const message = normalized(eventMessage({ ut: T + 60 * offset }, fields));
    const { ut, received_at, message_id } = message;
    applyMessage(match, message, { topic: 't', partition: 0, offset, ut, received_at, message_id });
  });
  return matchState(match);
}

const noName = () => undefined;

function full(...reports: readonly Fields[]) {
  return JSON.parse(renderEvent(stateOf(...reports), noName).full);
}

const home = {
  id: 101,
  counter: 1,
  name: 'Åland FC',
  short_name: 'Åland',
  acronym: 'ALA',
  colour: 'red',
  coach: null,
  stats: [
    { id: 20, value: 4, unit: 'shots' },
    { id: 999, value: null },
  ],
  results: [
    { id: 411, value: 1 },
    { id: 412, value: '1' },
    { id: 4, value: 2 },
    { id: 2, value: 3 },
  ],
};
const away = {
  id: 102,
  counter: 2,
  name: 'Away',
  short_name: null,
  acronym: null,
  slug: 'the-guests,102',
  sport_id: 5,
  sport_name: 'Football',
  stats: null,
  results: [
    { id: 411, value: 0 },
    { id: 2, value: 1 },
  ],
};
const reported = {
  name: 'Åland FC - Away',
  start_date: '2026-08-15 15:00',
  group_id: 12,
  stage_id: 11,
  tour_id: 9,
  day: 3,
  round_id: 4,
  round_name: 'Round 4',
  status_id: 34,
  status_name: 'Second',
  status_type: 'live',
  relation_status: 'in_progress',
  bet_status: 'suspended',
  clock_time: 60,
  clock_status: 'stopped',
  neutral_venue: 'yes',
  coverage_type: 'from_venue',
  event_stats_lvl_live: 'gold',
  event_stats_lvl: 'bronze',
  latency: '1-2s',
  source: -1,
  ft_only: 'no',
  scoutsfeed: 'yes',
  venue_id: 77,
  verified_result: 'yes',
  item_status: 'inactive',
  winner_id: 101,
  progress_id: 101,
  series: { order: 2, event_ids: [7, 8] },
  details: [
    { id: 141, value: 900, short_name: 'x' },
    { id: 999, value: 'yes' },
  ],
  // The away side first: sides are ordered by their counter.
  participants: [away, home],
  weather: { wind: 3 },
  stage_name: 'Final',
  events_incidents: [{ id: '5-1' }],
};
const shownHome = {
  ...home,
  coach: undefined,
  slug: 'aland-fc,101',
  sport_id: 5,
  sport_name: 'Soccer',
  stats: [
    { id: 20, short_name: 'Shots on target', name: 'Shots on target', value: '4', unit: 'shots' },
    { id: 999, value: '' },
  ],
  results: [
    { id: 411, short_name: 'Winner', name: 'Winner', value: '1' },
    { id: 412, short_name: 'Progress', name: 'Progress', value: '1' },
    { id: 4, short_name: 'First half', name: 'First half', value: '2' },
    { id: 2, short_name: 'Result', name: 'Result', value: '3' },
  ],
};
const shownAway = {
  ...away,
  short_name: '',
  acronym: '',
  stats: [],
  results: [
    { id: 411, short_name: 'Winner', name: 'Winner', value: '0' },
    { id: 2, short_name: 'Result', name: 'Result', value: '1' },
  ],
};

test('shows every reported field, and adds the names it knows', () => {
  const { stage_name: _, events_incidents: __, ...kept } = reported;
  const { action: ___, ...shown } = full(reported);
  expect(shown).toEqual({
    ...kept,
    id: 7_000_001,
    slug: 'aland-fc_away,7000001',
    sport_id: 5,
    sport_name: 'Soccer',
    competition_id: 6628,
    season_id: 25528,
    day: '3',
    played_time: 2_760,
    ut: T,
    guard_reasons: ['bet_suspended'],
    details: [
      { id: 141, name: 'Attendance', value: '900' },
      { id: 999, value: 'yes' },
    ],
    participants: [shownHome, shownAway],
  });
});

test('omits only statistics and details from the plain form', () => {
  const { plain, full } = renderEvent(stateOf(reported), noName);
  const { details: _, participants, ...rest } = JSON.parse(full);
  const withoutStats = participants.map(({ stats: __, ...side }: Fields) => side);
  expect(JSON.parse(plain)).toEqual({ ...rest, participants: withoutStats });
});

describe('an event with unusual fields', () => {
  test.each<[string, Fields, Fields]>([
    ['lists of null', { participants: null, details: null }, { participants: [], details: [] }],
    ['a latency of null', { latency: null, coverage_type: null }, { latency: null, coverage_type: '' }],
    ['a bare side', { participants: [{ id: 7, counter: 3 }] }, { participants: [{ counter: 3, name: '' }] }],
    ['a participant of no side', { participants: [{ id: 7 }] }, { participants: [] }],
    ['no day and no venue', { day: null, venue_id: '' }, { day: '', venue_id: '' }],
    ['a day of zero', { day: 0 }, { day: '0' }],
    ['a tour of null', { tour_id: null }, { tour_id: 0 }],
    ['a level of the event, no live one', { event_stats_lvl: 'bronze' }, { event_stats_lvl_live: 'bronze' }],
    ['a series of null', { series: null }, { series: { order: 0, event_ids: [] } }],
    ['a series, no list', { series: { order: 3, event_ids: 7 } }, { series: { order: 3, event_ids: [] } }],
    ['a slug', { slug: 'a-b,1' }, { slug: 'a-b,1' }],
    ['a slug that is no text', { slug: 7 }, { slug: 'team-101_team-102,7000001' }],
    ['a status without a name', { status_id: 34, status_name: null }, { status_name: '2nd half' }],
    ['an unknown status', { status_id: 9_999, status_name: null }, { status_id: 9_999, status_name: '' }],
    ['no status', { status_id: null, status_type: null }, { status_id: 0, status_name: '', status_type: '' }],
    ['a status without a type', { status_id: 11, status_type: null }, { status_type: 'finished' }],
    ['another sport', { sport_id: 1 }, { sport_id: 1, played_time: null }],
    ['the name of a sport', { sport_id: 1, sport_name: 'Basketball' }, { sport_name: 'Basketball' }],
    ['no sport', { sport_id: null }, { sport_id: 0, details: [{ id: 16, value: '45' }, { id: 58 }] }],
  ])('%s', (_, fields, shown) => {
    expect(full(fields)).toMatchObject(shown);
  });

  test('has no slug without a name, and neither has a side', () => {
    const event = full({ name: '', participants: [{ id: 7, counter: 1, name: '' }] });
    expect([event, event.participants[0]].map((one) => 'slug' in one)).toEqual([false, false]);
  });

  test('has no tour, no name of another sport, and no names of its values, unless reported', () => {
    const event = full({ sport_id: 1 });
    expect(['tour_id' in event, 'sport_name' in event]).toEqual([false, false]);
    expect(event.participants[0].stats[0]).toEqual({ id: 20, value: '4' });
    expect(event.participants[0].results).toContainEqual({ id: 411, value: '0' });
    expect(event.details[0]).toEqual({ id: 16, value: '45' });
  });
});

describe('a field that depends on another is of the last report of both', () => {
  const finished = { status_id: 11, status_type: 'finished' };
  const first = { status_id: 33, clock_time: 600, played_time: 599 };
  const second = { status_id: 34, clock_time: 300 };
  const basketball = { sport_id: 1, status_id: 8, clock_time: 60, played_time: 700 };
  test.each<[string, readonly Fields[], Fields]>([
    ['the name of a status', [{ ...first, status_name: 'First half' }, second], { status_name: '2nd half' }],
    ['the name of a round', [{ round_id: 1, round_name: 'Round 1' }, { round_id: 2 }], { round_name: '' }],
    ['the played time of soccer is computed', [first], { played_time: 600 }],
    ['the played time of a second half', [first, second], { played_time: 3_000 }],
    ['the played time of a finished match', [first, second, finished], { played_time: 5_400, clock_time: 0 }],
    ['the played time before kick-off', [{ status_id: 1, played_time: 7 }], { played_time: 7 }],
    ['the played time of another sport', [basketball], { played_time: 700 }],
    [
      'the played time of another part of another sport',
      [basketball, { ...basketball, status_id: 10, played_time: undefined }],
      { played_time: null },
    ],
    ['the clock of a finished match', [{ ...finished, clock_time: 2_880 }], { clock_time: 0 }],
  ])('%s', (_, reports, shown) => {
    expect(full(...reports)).toMatchObject(shown);
  });
});

test('omits the names of the levels above it, even if a message has them', () => {
  const named = { competition_name: 'Cup', season_name: '2026', stage_name: 'Final', group_name: 'A' };
  const event = full({ ...named, area_name: 'Europe', tour_name: '', gender: 'male' });
  expect(event).toMatchObject({ gender: 'male', competition_id: 6628 });
  expect(Object.keys(event).join()).not.toMatch(/(competition|season|stage|group|area|tour)_\w*name/);
});

test('takes the name of an unknown status from the catalogue', () => {
  const state = stateOf({ status_id: 9_999 });
  const { full } = renderEvent(state, (id) => (id === 9_999 ? 'Third half' : 'Other'));
  expect(JSON.parse(full).status_name).toBe('Third half');
});

describe('the winner and the side that advances', () => {
  const sides = (marks: Fields | null) => ({
    participants: [101, 102].map((id, at) => ({
      id,
      counter: at + 1,
      results: marks === null ? [] : [411, 412].map((result) => ({ id: result, value: marks[id] })),
    })),
  });
  /** Results that mark neither winner nor progress. */
  const halfTimes = {
    participants: [101, 102].map((id, at) => ({ id, counter: at + 1, results: [{ id: 4, value: '0' }] })),
  };
  const won = { winner_id: 101, progress_id: 101 };
  const finished = { status_id: 11, status_type: 'finished' };
  const live = { status_id: 34, status_type: 'live' };
  const second = { 101: '0', 102: '1' };
  const none = { 101: '0', 102: '0' };
  const begun = { ...finished, ...won, ...sides(null) };
  test.each<[string, number | null, readonly Fields[]]>([
    ['is reported', 101, [{ ...won, ...sides(second) }]],
    ['is marked by the results if not reported', 102, [sides(second)]],
    ['is null if the results mark no side', null, [sides(none)]],
    ['is null without results', null, [sides(null)]],
    ['is the side that newer results mark', 102, [{ ...won, ...sides(null) }, sides(second)]],
    ['is null once newer results mark no side', null, [won, sides(none)]],
    ['stays once finished if its results mark no side', 101, [begun, { ...finished, ...sides(null) }]],
    ['stays reported once finished if newer results are others', 101, [begun, { ...finished, ...halfTimes }]],
    ['is null once play continues', null, [begun, { ...live, ...sides(null) }]],
  ])('%s', (_, id, reports) => {
    expect(full(...reports)).toMatchObject({ winner_id: id, progress_id: id });
  });
});

/** Renders an incident with these fields. Returns its record, and whether it is important. */
function rendered(options: Partial<Incident> = {}, type?: Fields) {
  const known = incident('5-110', 413, options);
  const { json, important } = renderIncident(known, (id) =>
    id === known.incident_id && type !== undefined ? catalogueValue('incident', id, null, type) : null,
  );
  return { record: JSON.parse(json), important };
}

/** A type in no catalogue. */
const UNKNOWN = 99_999;

test('shows every field of an incident as reported, but for the one that only the feed has', () => {
  const reported: Partial<Incident> = {
    incident_name: 'Goal!',
    participant_id: 102,
    participant_name: 'Home',
    subparticipant_id: 17,
    subparticipant_name: 'Ann',
    event_status_id: 34,
    event_status_name: 'First',
    event_time: 1_094,
    counts_for: 'rival',
    confirmation: 'cancelled',
    attribute_ids: [3],
    important: false,
    important_for_trader: false,
    game_break: true,
    parent_id: '5-9',
    ut: 1_790_000_009,
    other: { properties: '{"how":"header"}', more: '[1]', period_timer: '{"direction":"up","time":570}' },
  };
  const { counts_for, other: _, ...kept } = reported;
  expect(rendered(reported)).toEqual({
    important: false,
    record: {
      ...kept,
      id: '5-110',
      incident_id: 413,
      event_time: '18:14',
      for: counts_for,
      important: 'no',
      important_for_trader: 'no',
      game_break: 'yes',
      properties: { how: 'header' },
      additional_info: {},
      more: [1],
    },
  });
});

test('shows only the fields of every incident for an unknown type', () => {
  const options = { incident_id: UNKNOWN, event_status_id: null, participant_id: null, event_time: null };
  expect(rendered(options)).toEqual({
    important: false,
    record: {
      id: '5-110',
      incident_id: UNKNOWN,
      incident_name: '',
      participant_id: null,
      participant_name: null,
      subparticipant_id: null,
      subparticipant_name: null,
      event_status_id: null,
      event_status_name: null,
      event_time: null,
      for: 'none',
      confirmation: 'confirmed',
      attribute_ids: [],
      properties: {},
      additional_info: {},
      important: 'no',
      important_for_trader: 'no',
      game_break: 'no',
      ut: 1_790_000_000,
      parent_id: null,
    },
  });
});

const listed = { name: 'Tor', for: 'rival', important: 'no', important_for_trader: 'no', game_break: 'yes' };
test.each<[string, Partial<Incident>, Fields | undefined, Fields]>([
  [
    'that of the type in the provider’s catalogue',
    {},
    listed,
    { incident_name: 'Tor', for: 'rival', important: 'no', important_for_trader: 'no', game_break: 'yes' },
  ],
  [
    'else that of the built-in type',
    {},
    undefined,
    { incident_name: 'Goal', for: 'own', important: 'yes', important_for_trader: 'yes', game_break: 'no' },
  ],
  [
    'that of the built-in type if the provider’s value is invalid',
    { incident_id: 420 },
    { name: {}, for: 7, important: 7, important_for_trader: null, game_break: '' },
    { incident_name: 'Penalty', important: 'yes', important_for_trader: 'yes', game_break: 'yes' },
  ],
  ['own in `for`, unknown, a side', { incident_id: UNKNOWN, participant_id: 7 }, undefined, { for: 'own' }],
  ['the name of a known status', { event_status_id: 34 }, undefined, { event_status_name: '2nd half' }],
  ['null for an unknown status', { event_status_id: 9_999 }, undefined, { event_status_name: null }],
  [
    'empty if it is no collection',
    { other: { properties: 'null' } },
    undefined,
    { attribute_ids: [], properties: {}, additional_info: {} },
  ],
])('a field of an incident that was not reported is: %s', (_, options, type, shown) => {
  expect(rendered(options, type).record).toMatchObject(shown);
});

test('an incident is important unless its record denies it', () => {
  expect([{}, { important: false }].map((options) => rendered(options).important)).toEqual([true, false]);
});
