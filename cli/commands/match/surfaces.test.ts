/** Compares what every surface shows of one match: no surface has a rule of its own. */

import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { periodWords } from '#domain/sports/periods.ts';
import {
  AWAY,
  EVENT_ID,
  eventFields,
  eventMessage,
  type IncidentOptions,
  incident,
  incidentMessage,
  START,
  snapshotMessage,
} from '#domain/testing/messages.ts';
import * as provider from '#ingestion/testing/messages.ts';
import { readVectors, VECTOR_FOLDERS } from '#ingestion/testing/vectors.ts';
import type { KeyIncident, MatchState } from '#records/types.ts';
import { INCIDENT, RESULT } from '#soccer/soccer.ts';
import { STATUSES } from '#soccer/statuses.ts';
import type { TimelineEntry } from '#story/incidents.ts';
import { minuteText } from '#story/minute.ts';
import { scoreWords } from '#story/words.ts';
import { NO_HALTS } from '#trading/halts.ts';
import { ALIVE } from '#trading/testing/feeds.ts';
import { tradingOf } from '#trading/trading.ts';
import { renderEvent } from '#views/render/event.ts';
import { shownStateOf } from '#views/store/board-view.ts';
import { normalized } from '#views/testing/world.ts';
import { matchPage } from '../../../services/api/board/pages/match-page.ts';
import { summaryOf } from '../../../services/tool-gateway/mcp/tools/common.ts';
import type { ToolScope } from '../../../services/tool-gateway/mcp/tools/tool.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { type ExportCell, SHAPES } from '../export/datasets.ts';
import { boardMatchOf, type LiveRow, matchJson } from '../live/board.ts';
import { pageJson, pageLines, type StoryFacts } from './page.ts';
import { COURSES } from './testing/courses.ts';
import { exportedOf, PlayedMatch } from './testing/surfaces.ts';

const T = 1_790_000_000;
const NO_CARDS = { home: 0, away: 0 };

type PageJson = { readonly story: readonly TimelineEntry[] };

/** Expects every surface to show of each incident whether it stands, whether it counts, and whether it is missing. */
function expectSameIncidents(match: PlayedMatch): void {
  const { records, details } = match;
  if (records === null) return;
  const { state } = records;
  const exported = exportedOf(SHAPES.incidents, records.incidents);
  const keys = exportedOf(SHAPES['key-incidents'], [state]);
  const idsOf = (rows: typeof exported, holds: (row: Readonly<Record<string, ExportCell>>) => boolean) =>
    [...rows].flatMap(([id, row]) => (holds(row) ? [id] : [])).toSorted();
  const known = records.incidents.filter(({ incident }) => incident !== null).map(({ id }) => id);
  if (state.home !== null && state.away !== null)
    expect(idsOf(keys, (row) => row.counts_for_id !== null)).toEqual(state.counting_goals.toSorted());
  expect(idsOf(exported, ({ removed }) => removed === true)).toEqual(state.removed.toSorted());
  expect(idsOf(exported, ({ missing }) => missing === true)).toEqual(state.missing.toSorted());
  const { story } = pageJson(records, tradedOf(state)) as PageJson;
  const text = pageText(records, state.cause.ut);
  for (const { id, void: isVoid, note } of story) {
    if (keys.has(id)) expect([id, isVoid === null]).toEqual([id, keys.get(id)?.stands]);
    if (isVoid !== null) expect(text).toContain(isVoid);
    else if (note !== null) expect(text).toContain(note);
    const explained =
      state.orphans.includes(id) || state.anomalies.some((anomaly) => anomaly.startsWith(`${id}:`));
    if (!explained)
      expect([id, note?.includes('latest list') ?? false]).toEqual([id, state.missing.includes(id)]);
  }
  if (details === null) {
    expect(state.status_type).toBe('deleted');
    return;
  }
  const { tool } = match;
  expect(tool.missing).toEqual(state.missing);
  expect(tool.timeline.map(({ incident_id }) => incident_id)).toEqual(known.toSorted());
  const standing = new Map(tool.timeline.map(({ incident_id, stands }) => [incident_id, stands]));
  for (const { id, void: isVoid } of story) expect([id, isVoid === null]).toEqual([id, standing.get(id)]);
  for (const { incident_id, stands, why } of tool.timeline) {
    expect(why === undefined).toBe(stands);
    if (incident_id in state.void_goals) expect(why).toBe(state.void_goals[incident_id]);
  }
  const shownBy = (entries: readonly TimelineEntry[]) =>
    entries.map(({ id, minute, void: why, void_by, note, running_score }) => ({
      id,
      minute,
      why,
      void_by,
      note,
      running_score,
    }));
  expect(shownBy(details.timeline)).toEqual(shownBy(story));
  const cards = state.key_incidents.filter((one) => one.incident_type === INCIDENT.redCard && one.stands);
  const red = tool.timeline.filter(({ type_id, stands }) => type_id === INCIDENT.redCard && stands);
  expect(cards.map(({ id }) => id)).toEqual(red.map(({ incident_id }) => incident_id));
  const yellow = records.incidents.flatMap(({ id, incident }) =>
    incident?.incident_id === INCIDENT.yellowCard && standing.get(id) === true
      ? [{ team_id: incident.participant_id }]
      : [],
  );
  const of = (some: readonly Pick<KeyIncident, 'team_id'>[]) => {
    const count = (side: MatchState['home']) =>
      some.filter(({ team_id }) => side !== null && team_id === side.id).length;
    return { home: count(state.home), away: count(state.away) };
  };
  expect(details.match.red_cards).toEqual(of(cards));
  expect(details.match.yellow_cards).toEqual(of(yellow));
}

function tradedOf(state: MatchState) {
  return { trading: tradingOf(state, ALIVE, NO_HALTS), feed: ALIVE, halts: [] };
}

function pageText(records: StoryFacts, now: number): string {
  const lines = pageLines(records, tradedOf(records.state), { now: now * 1_000, width: null });
  return stripVTControlCharacters(lines.join('\n'));
}

/** Reads one state by every surface, as at the time of its last message. */
function surfacesOf(state: MatchState) {
  const now = state.cause.ut + 60;
  const shown = shownStateOf(state);
  const board = boardMatchOf(shown, ALIVE, now * 1_000);
  const queries = { health: () => ALIVE, halts: () => NO_HALTS, levelNames: () => ({}) };
  const scope = { queries, now } as unknown as ToolScope;
  const tool = summaryOf({ state: shown, status: null, round: null }, scope);
  const facts = { state, incidents: [], transitions: [] };
  const page = pageJson(facts, tradedOf(state)) as { state: MatchState; trading: { permission: string } };
  const text = pageText(facts, now);
  const { trading } = tradedOf(state);
  const row = { state: shown, feed: ALIVE, trading, lastReceivedAt: 0 } as LiveRow;
  const live = matchJson(row) as { state: MatchState; trading: unknown };
  const [values = []] = SHAPES.states.rows(state, { competition: null, season: null });
  const cells = Object.fromEntries(SHAPES.states.columns.map(({ name }, at) => [name, values[at]]));
  const rendered = renderEvent(state, () => undefined);
  const rest = JSON.parse(rendered.full) as RestEvent;
  return { board, tool, page, text, trading, live, cells, rest, rendered, now };
}

type RestEvent = {
  readonly status_id: number | null;
  readonly status_name: string;
  readonly winner_id: number | null;
  readonly played_time: number | null;
  readonly participants: readonly {
    readonly id: number;
    readonly results: readonly { readonly id: number; readonly value: string }[];
  }[];
};

/** Returns a result of both sides as REST shows it; null where a side has none. */
function resultOf({ participants }: RestEvent, id: number) {
  const [home, away] = participants.map(({ results }) => results.find((result) => result.id === id)?.value);
  return home === undefined || away === undefined || home === '' || away === ''
    ? null
    : { home: Number(home), away: Number(away) };
}

/** Expects every surface to show this state. */
function expectSame(state: MatchState): void {
  const { board, tool, page, text, trading, live, cells, rest, now } = surfacesOf(state);
  const { score, firm, derived, status_type, guard, missing } = state;
  const both = state.home !== null && state.away !== null;
  expect(both ? resultOf(rest, RESULT.score) : score).toEqual(score);
  expect(rest.status_id).toBe(state.status_id);
  expect(board).toMatchObject({ score, firm, derived, status_type, guard });
  expect(tool).toMatchObject({ score, firm_score: firm, shoot_out: state.shoot_out, status_type });
  expect(tool.guard).toMatchObject({ trading: trading.permission, reasons: trading.reasons });
  expect(page).toMatchObject({ state: { score, firm, derived, guard, missing }, trading });
  expect(live).toMatchObject({ state: { score, firm, derived, guard, missing }, trading });
  expect(text).toContain(`  ${scoreWords(score)}  firm ${scoreWords(firm)}`);
  expect(cells).toMatchObject({
    score_home: score?.home ?? null,
    score_away: score?.away ?? null,
    firm_home: firm?.home ?? null,
    derived_home: derived?.home ?? null,
    derived_away: derived?.away ?? null,
    status_id: state.status_id,
    guard_safe: guard.safe,
    guard_reasons: JSON.stringify(guard.reasons),
    missing: JSON.stringify(missing),
  });
  if (status_type === 'live') {
    const minute = minuteText(board, now);
    expect(text).toContain(minute);
    if (minute.endsWith('′')) expect(`${tool.minute}′`).toBe(minute);
  }
}

const isRandom = ({ name }: { readonly name: string }): boolean => name.startsWith('random-');
const all = VECTOR_FOLDERS.flatMap(readVectors);
const vectors = [...all.filter(isRandom).slice(0, rounds(24)), ...all.filter((one) => !isRandom(one))];

describe('every surface shows the same of a match', () => {
  test.each(vectors)('of the vector $name', ({ event_id, messages }) => {
    const match = new PlayedMatch(event_id);
    for (const message of messages) {
      match.take(message);
      if (match.records === null) continue;
      expectSame(match.state);
      expectSameIncidents(match);
    }
  });

  test('that was awarded to the side that had lost on the pitch', () => {
    const side = (id: number, counter: 1 | 2, value: number) => {
      return { id, counter, name: `Team ${id}`, results: [{ id: RESULT.score, value }] };
    };
    const played = { participants: [side(11, 1, 1), side(22, 2, 0)] };
    const goal = { id: '5-1', incident_id: 413, participant_id: 11, confirmation: 'confirmed', ut: T };
    const participants = [side(11, 1, 0), side(22, 2, 3)];
    const awarded = { status_id: 12, status_type: 'finished', winner_id: 22, participants };
    const kickOff = { ...goal, incident_id: 429, id: '5-0' };
    const messages = [
      provider.incidentMessage({ id: 1, ut: T }, kickOff, played),
      provider.incidentMessage({ id: 2, ut: T + 60 }, { ...goal, ut: T + 60 }, played),
      provider.eventMessage({ id: 3, ut: T + 240 }, awarded),
    ];
    const { state } = new PlayedMatch(
      7_000_001,
      messages.map((message) => normalized(message)),
    );
    expect(state).toMatchObject({ score: { home: 0, away: 3 }, derived: { home: 1, away: 0 } });
    expectSame(state);
    const { rest, text } = surfacesOf(state);
    expect(rest.winner_id).toBe(22);
    expect(text).toContain('played 1–0');
  });

  test('whose goals and red cards are void, removed, pending or missing from the latest list', () => {
    const at = (seconds: number, more: IncidentOptions = {}) => ({ ut: START + seconds, ...more });
    const { redCard, goal, goalCancelled, ownGoal } = INCIDENT;
    const early = incident('5-100', INCIDENT.firstHalfStarted);
    const dismissed = incident('5-101', redCard, at(1, { participant_id: AWAY }));
    const messages = [
      eventMessage(START, eventFields()),
      incidentMessage(early),
      incidentMessage(dismissed),
      incidentMessage(incident('5-102', redCard, at(2, { confirmation: 'cancelled' }))),
      incidentMessage(incident('5-103', redCard, at(3))),
      incidentMessage(incident('5-103', redCard, at(4)), { deleted: true }),
      incidentMessage(incident('5-104', goal, at(5))),
      incidentMessage(incident('5-105', goalCancelled, at(6, { parent_id: '5-104' }))),
      incidentMessage(incident('5-106', goal, at(7, { confirmation: 'tbd' }))),
      incidentMessage(incident('5-107', ownGoal, at(8))),
      incidentMessage(incident('5-108', goal, at(9, { participant_id: 9 }))),
      incidentMessage(incident('5-109', goalCancelled, at(10, { parent_id: '5-1' }))),
      incidentMessage(incident('5-110', goal, at(60))),
      incidentMessage(incident('5-111', redCard, at(61))),
      snapshotMessage(START + 90, [early, dismissed]),
    ];
    const match = new PlayedMatch(EVENT_ID);
    for (const message of messages) {
      match.take(message);
      expectSame(match.state);
      expectSameIncidents(match);
    }
    expect(match.state.missing).toEqual(['5-110', '5-111']);
    expect(match.details?.match.red_cards).toEqual({ home: 1, away: 1 });
  });

  test.each(COURSES)(
    'of $sport, from its start to its end',
    ({ sport_id, clock = true, incident, steps, periods }) => {
      const match = new PlayedMatch(7_000_001);
      const [incident_id, incident_name] = incident;
      for (const [at, { status, named, score, results = [], played, minute, shown }] of steps.entries()) {
        const ut = T + at * 600;
        const side = (counter: 1 | 2) => ({
          id: counter * 11,
          counter,
          name: `Side ${counter}`,
          results: [
            { id: RESULT.score, value: score?.[counter - 1] ?? '' },
            { id: RESULT.winner, value: 0 },
            ...results.map(([id, home, away, name]) => ({ id, name, value: counter === 1 ? home : away })),
          ],
        });
        const event = {
          sport_id,
          status_id: status,
          status_type: STATUSES.get(status)?.type,
          ...(named === undefined ? {} : { status_name: named }),
          start_date: '2026-09-21 12:00',
          clock_time: played === undefined ? null : 0,
          clock_status: played === undefined ? null : clock ? 'stopped' : 'running',
          played_time: played ?? null,
          participants: [side(1), side(2)],
        };
        const event_time = clock ? null : '42:00';
        const id = `${sport_id}-${at}`;
        const own = { id, incident_id, incident_name, participant_id: 11, event_time, ut };
        match.take(normalized(provider.eventMessage({ id: 2 * at + 1, ut }, event), ut * 1_000));
        match.take(normalized(provider.incidentMessage({ id: 2 * at + 2, ut }, own, event), ut * 1_000));
        const { state } = match;
        expectSame(state);
        expectSameIncidents(match);
        const both = score === null ? null : { home: score[0], away: score[1] };
        const guard = { safe: true, reasons: [] };
        expect(state).toMatchObject({ score: both, firm: both, derived: null, shoot_out: null, guard });
        const { board, tool, text, rest, now } = surfacesOf(state);
        expect([minuteText(board, now), tool.minute, rest.played_time]).toEqual([
          shown,
          minute ?? (shown.endsWith('′') ? shown.slice(0, -1) : null),
          clock ? (played ?? null) : null,
        ]);
        expect([board.red_cards, board.yellow_cards]).toEqual([NO_CARDS, NO_CARDS]);
        const name = named ?? STATUSES.get(status)?.name;
        expect(text).toContain(name);
        expect([rest.status_name, match.tool.status]).toEqual([name, name]);
        if (clock) continue;
        expect(new Set(match.tool.timeline.map((entry) => entry.minute))).toEqual(new Set([undefined]));
      }
      const { state, details } = match;
      const { board, text } = surfacesOf(state);
      expect([state.status_type, state.key_incidents]).toEqual(['finished', []]);
      expect(board.periods.map(periodWords)).toEqual(periods);
      expect(text).toContain(periods.join(', '));
      expect(match.tool.periods).toEqual(periods);
      const page = details === null ? '' : matchPage(details, false, T + 9_000);
      for (const period of periods) expect(page).toContain(`>${period.replace(/.* /, '')}<`);
    },
  );
});
