/** Arguments and answers that several tools share. */
import { z } from 'zod';
import type { OperationData, OperationName } from '#contract/rest/operations.ts';
import type { RestAnswer } from '#contract/rest/provider.ts';
import { playedMinute } from '#domain/clock.ts';
import { tradingOf } from '#trading/trading.ts';
import type { NamedMatch } from '#views/queries/tool-queries.ts';
import type { ShownState } from '#views/store/board-view.ts';
import type { CountedPage } from '#views/store/sql.ts';
import { ToolError, type ToolScope } from './tool.ts';

export const id = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

/** Parses the data of an operation's answer, without validation: tests of REST hold it to the contract. */
export function dataOf<O extends OperationName>({ data }: RestAnswer): OperationData<O> {
  return JSON.parse(data.toString());
}

export const day = z.iso.date().describe('YYYY-MM-DD.');

const score = z.object({ home: z.int(), away: z.int() });
const team = z.object({ team_id: z.int().nullable(), name: z.string().nullable() });

/** Whether it is safe to trade on a match now, by its guard, firm score and feed, and why not. */
const guard = z.object({
  safe: z.boolean(),
  trading: z.enum(['safe', 'halted', 'not_in_play']),
  reasons: z.array(z.string()),
});

/** Whether the data of a match is current. */
const feed = z.object({
  alive: z.boolean(),
  state: z.string(),
  reason: z.string().nullable(),
  delay_seconds: z.int().optional(),
});

export const NO_SUCH_MATCH = 'No match has this id. Call list_matches, live_board or search to find matches.';

/** A match in a list. Only get_match describes its fields, as each conversation pays for the schemas of all lists. */
export const matchSummary = z.object({
  match_id: z.int(),
  home: team,
  away: team,
  start: z.string().nullable(),
  competition_id: z.int().nullable(),
  competition: z.string().nullable(),
  season_id: z.int().nullable(),
  round: z.string().nullable(),
  status: z.string().nullable(),
  status_type: z.string().nullable(),
  minute: z.string().nullable(),
  score: score.nullable(),
  firm_score: score.nullable(),
  shoot_out: score.nullable(),
  guard,
  feed,
  updated_at: z.string(),
});

/** A page of matches, with their schema only in list_matches: each conversation pays for the schemas of all tools. */
export const matchPage = { matches: z.array(matchSummary.meta({ sameAs: 'list_matches' })) };

export function matchPageOf(
  { items, total }: CountedPage<NamedMatch>,
  scope: ToolScope,
): z.input<z.ZodObject<typeof matchPage>> & { total: number } {
  return { matches: items.map((match) => summaryOf(match, scope)), total };
}

export function titleOf({ home, away }: ShownState): string {
  return `${home?.name ?? '?'} - ${away?.name ?? '?'}`;
}

export function summaryOf(
  { state, statusName, roundName }: NamedMatch,
  { queries, now }: ToolScope,
): z.input<typeof matchSummary> {
  const { cause, status_type } = state;
  const health = queries.health(state.event_id, now * 1000);
  const { permission, reasons } = tradingOf(state, health, queries.halts(state, now * 1000));
  const timed = { ...state, ut: cause.ut, received_at: cause.received_at };
  return {
    match_id: state.event_id,
    home: { team_id: state.home?.id ?? null, name: state.home?.name ?? null },
    away: { team_id: state.away?.id ?? null, name: state.away?.name ?? null },
    start: state.start_date,
    competition_id: state.competition_id,
    competition: queries.levelName('competition', state.competition_id),
    season_id: state.season_id,
    round: roundName,
    status: statusName,
    status_type,
    minute: status_type === 'live' ? playedMinute(timed, now) : null,
    score: state.score,
    firm_score: state.firm,
    shoot_out: state.shoot_out,
    guard: { safe: permission === 'safe', trading: permission, reasons: [...reasons] },
    feed: {
      alive: health.believed,
      state: health.state,
      reason: health.reason,
      ...(health.state === 'delayed' &&
        health.delay !== null && { delay_seconds: Math.round(health.delay / 1_000) }),
    },
    updated_at: isoOf(cause.received_at),
  };
}

/** Returns a text of a provider's record; undefined if it is missing or empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Arguments that name a season: itself, or a competition whose current season is meant. */
export const seasonInput = {
  season_id: id.optional().describe('A season, from list_competitions or search.'),
  competition_id: id.optional().describe('A competition: its current season.'),
};

/** Returns the id of the named season. Throws `ToolError` when none is named, or the competition has no current season. */
export function seasonOf(
  { season_id, competition_id }: { season_id?: number | undefined; competition_id?: number | undefined },
  { queries, access }: ToolScope,
): number {
  if (season_id !== undefined) return season_id;
  if (competition_id === undefined)
    throw new ToolError(
      'INVALID_ARGUMENTS',
      'Send season_id or competition_id. Call search to find one by name.',
    );
  const season = queries.seasons(competition_id, access).find(({ current }) => current);
  if (season === undefined)
    throw new ToolError(
      'NOT_FOUND',
      'No season of that competition is known. Call list_competitions for others.',
    );
  return season.id;
}
