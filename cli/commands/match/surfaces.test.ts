/** Compares what every surface shows of one match: no surface has a rule of its own. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { RESULT } from '#contract/soccer.ts';
import { applyMessage, matchState, newMatch } from '#domain/match.ts';
import { clockRuleOf } from '#domain/reported-fields.ts';
import { causeOf } from '#domain/testing/messages.ts';
import { readVectors } from '#domain/testing/vectors.ts';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import type { MatchState, NormalizedMessage } from '#topics/generated/types.ts';
import { tradingOf } from '#tradability/trading.ts';
import { renderEvent } from '#views/render/event.ts';
import type { ShownState } from '#views/store/board-view.ts';
import { normalized } from '#views/testing/world.ts';
import { boardMatch } from '../../../services/api/board/board-match.ts';
import { minuteText } from '../../../services/api/board/shown/minute.ts';
import { scoreWords } from '../../../services/api/board/shown/words.ts';
import { summaryOf } from '../../../services/tool-gateway/mcp/tools/common.ts';
import type { ToolScope } from '../../../services/tool-gateway/mcp/tools/tool.ts';
import { STATES } from '../export/columns.ts';
import { matchJson } from '../live/board.ts';
import { pageJson, pageLines } from './page.ts';

const T = 1_790_000_000;
const FEED = { believed: true, state: 'alive', reason: null, since: null, source: 'webhook' } as const;
const PLACE = { competition: null, season: null, stage: null, group: null };

function stateOf(eventId: number, messages: readonly NormalizedMessage[]): MatchState {
  const match = newMatch(eventId);
  messages.forEach((message, offset) => {
    applyMessage(match, message, causeOf(message, offset));
  });
  return matchState(match);
}

/** Reads one state by every surface, as at the time of its last message. */
function surfacesOf(state: MatchState) {
  const now = state.cause.ut + 60;
  const shown: ShownState = { ...state, clock_rule: clockRuleOf(state) };
  const board = boardMatch(shown, { place: () => PLACE, matchHealth: () => FEED, incidents: () => [] }, now);
  const queries = { health: () => FEED, place: () => PLACE };
  const tool = summaryOf({ state: shown, statusName: null, roundName: null }, {
    queries,
    now,
  } as unknown as ToolScope);
  const facts = { state, incidents: [], transitions: [] };
  const page = pageJson(facts, FEED) as { state: MatchState; trading: { permission: string } };
  const text = stripVTControlCharacters(pageLines(facts, FEED, { now: now * 1_000, width: null }).join('\n'));
  const trading = tradingOf(state, FEED);
  const live = matchJson({ state: shown, feed: FEED, trading, lastReceivedAt: 0 } as Parameters<
    typeof matchJson
  >[0]) as { state: MatchState; trading: unknown };
  const [row = []] = STATES.rows(state, { competition: null, season: null });
  const cells = Object.fromEntries(STATES.columns.map(({ name }, at) => [name, row[at]]));
  const rendered = renderEvent(state, () => undefined);
  const rest = JSON.parse(rendered.full) as RestEvent;
  return { board, tool, page, text, trading, live, cells, rest, rendered, now };
}

type RestEvent = {
  readonly status_id: number | null;
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
    home_score: score?.home ?? null,
    away_score: score?.away ?? null,
    home_firm: firm?.home ?? null,
    home_derived: derived?.home ?? null,
    away_derived: derived?.away ?? null,
    status_id: state.status_id,
    guard_safe: guard.safe,
    guard_reasons: guard.reasons.join(' '),
    missing: missing.join(' '),
  });
  if (status_type === 'live') {
    const minute = minuteText(board, now);
    expect(text).toContain(minute);
    if (minute.endsWith('′')) expect(`${tool.minute}′`).toBe(minute);
  }
}

const vectors = readVectors();

describe('every surface shows the same of a match', () => {
  test.each(vectors)('of the vector $name', ({ event_id, messages }) => {
    messages.forEach((_, n) => {
      expectSame(stateOf(event_id, messages.slice(0, n + 1)));
    });
  });

  test('that was awarded to the side that had lost on the pitch', () => {
    const side = (id: number, counter: 1 | 2, goals: number) => ({
      id,
      counter,
      name: `Team ${id}`,
      results: [{ id: RESULT.score, value: goals }],
    });
    const played = { participants: [side(11, 1, 1), side(22, 2, 0)] };
    const goal = { id: '5-1', incident_id: 413, participant_id: 11, confirmation: 'confirmed', ut: T };
    const awarded = {
      status_id: 12,
      status_type: 'finished',
      winner_id: 22,
      participants: [side(11, 1, 0), side(22, 2, 3)],
    };
    const state = stateOf(7_000_001, [
      normalized(incidentMessage({ id: 1, ut: T }, { ...goal, incident_id: 429, id: '5-0' }, played)),
      normalized(incidentMessage({ id: 2, ut: T + 60 }, { ...goal, ut: T + 60 }, played)),
      normalized(eventMessage({ id: 3, ut: T + 240 }, awarded)),
    ]);
    expect([state.score, state.derived]).toEqual([
      { home: 0, away: 3 },
      { home: 1, away: 0 },
    ]);
    expectSame(state);
    const { rest, text } = surfacesOf(state);
    expect(rest.winner_id).toBe(22);
    expect(text).toContain('played 1–0');
  });

  test('of handball, by the clock that the provider reports', () => {
    const state = stateOf(7_000_001, [
      normalized(
        eventMessage(
          { id: 1, ut: T },
          {
            sport_id: 6,
            status_id: 34,
            status_type: 'live',
            clock_time: 600,
            clock_status: 'running',
            played_time: 2_400,
          },
        ),
      ),
    ]);
    expectSame(state);
    const { tool, board, rest, now } = surfacesOf(state);
    expect([rest.played_time, tool.minute, minuteText(board, now)]).toEqual([2_400, '41', '41′']);
  });
});
