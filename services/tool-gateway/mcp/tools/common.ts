/** Arguments and answers that several tools share. */
import { z } from 'zod';
import type { OperationData, OperationName } from '#contract/rest/operations.ts';
import type { RestAnswer } from '#contract/rest/provider.ts';
import { playedMinute } from '#domain/clock.ts';
import { each } from '#json/records.ts';
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
  ...each(team, 'home', 'away'),
  start: z.string().nullable(),
  competition_id: z.int().nullable(),
  competition: z.string().nullable(),
  season_id: z.int().nullable(),
  ...each(z.string().nullable(), 'round', 'status', 'status_type', 'minute'),
  ...each(score.nullable(), 'score', 'firm_score', 'shoot_out'),
  guard,
  feed,
  updated_at: z.string(),
});

/** A page of matches, with their schema only in list_matches: each conversation pays for the schemas of all tools. */
export const matchPage = { matches: z.array(matchSummary.meta({ sameAs: 'list_matches' })) };

export function matchPageOf({ items, total }: CountedPage<NamedMatch>, scope: ToolScope) {
  return { matches: items.map((match) => summaryOf(match, scope)), total };
}

type NamedSide = { readonly name: string | null } | null;

export function titleOf({ home, away }: Readonly<Record<'home' | 'away', NamedSide>>): string {
  return `${home?.name ?? '?'} - ${away?.name ?? '?'}`;
}

function teamOf(side: ShownState['home']): z.input<typeof team> {
  return { team_id: side?.id ?? null, name: side?.name ?? null };
}

/** Returns the values of `matchSummary`, among others of the match: the schema of an answer chooses its fields. */
export function summaryOf({ state, ...named }: NamedMatch, { queries, now }: ToolScope) {
  const { cause, status_type } = state;
  const health = queries.health(state.event_id, now * 1000);
  const halts = queries.halts(state, now * 1000);
  const { permission, reasons } = tradingOf(state, health, halts);
  return {
    ...state,
    ...queries.levelNames(state),
    ...named,
    match_id: state.event_id,
    home: teamOf(state.home),
    away: teamOf(state.away),
    start: state.start_date,
    minute:
      status_type === 'live'
        ? playedMinute({ ...state, ut: cause.ut, received_at: cause.received_at }, now)
        : null,
    firm_score: state.firm,
    guard: { safe: permission === 'safe', trading: permission, reasons: [...reasons] },
    feed: {
      ...health,
      alive: health.believed,
      ...(health.state === 'delayed' &&
        health.delay !== null && { delay_seconds: Math.round(health.delay / 1_000) }),
    },
    halts,
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
