/** Tools for matches: schedule and results, the live board, and head to head. */
import { z } from 'zod';
import { dateWindow, liveSince, openDates, STATUS_TYPES } from '#contract/rest/parameters.ts';
import { each } from '#json/records.ts';
import { day, id, matchPage, matchPageOf, matchSummary } from './common.ts';
import { ToolError, type ToolScope, tool } from './tool.ts';

const FIND_MATCHES = 'Call list_matches or live_board to find matches.';

function boardAt(now: number) {
  return {
    show_postponed: 'yes',
    events_details: 'no',
    holdsNow: true,
    liveSince: liveSince(now),
  } as const;
}

const ANY_DAY = { date_from: '0000-01-01 00:00:00', date_to: '9999-12-31 23:59:59' } as const;

export function liveMatches({ queries, access, now }: ToolScope, limit: number) {
  return queries.board({ ...boardAt(now), ...ANY_DAY, limit, page: 1, status_type: 'live' }, access).items;
}

export const listMatches = tool({
  name: 'list_matches',
  title: 'Schedule and results',
  description:
    'Lists past and future matches by start: by default those in play and of today, else of the days, competition, season or team that you name.',
  operations: ['events.index'],
  input: z.object({
    date_from: day.optional().describe('First day, YYYY-MM-DD.'),
    date_to: day
      .optional()
      .describe('Last day, YYYY-MM-DD; at most 31 days unless a competition, season or team is named.'),
    sport_id: id.optional(),
    competition_id: id.optional(),
    season_id: id.optional(),
    stage_id: id.optional(),
    team_id: id.optional(),
    status: z.enum(STATUS_TYPES).optional().describe('Only matches with such a status.'),
    order: z.enum(['earliest', 'latest']).default('earliest').describe('Which come first.'),
  }),
  pageSize: 20,
  output: z.object({ matches: z.array(matchSummary) }),
  missing: FIND_MATCHES,
  answer(args, scope) {
    const { team_id, status, order, ...query } = args;
    const { competition_id, season_id, stage_id } = query;
    const narrowed = competition_id ?? season_id ?? stage_id ?? team_id;
    const dates = narrowed === undefined ? dateWindow(args, scope.now) : openDates(args);
    const holdsNow = args.date_from === undefined && args.date_to === undefined && narrowed === undefined;
    const filter = {
      ...query,
      ...dates,
      holdsNow,
      liveSince: liveSince(scope.now),
      participant_id: team_id,
      status_type: status,
    };
    return matchPageOf(scope.queries.matches(filter, scope.access, order), scope);
  },
});

export const liveBoard = tool({
  name: 'live_board',
  title: 'Live board',
  description:
    'Lists live matches, or all matches of today, with score, minute and trading guard. Call it every 10 seconds at most, or subscribe to the resource of a match.',
  operations: ['livescore.index'],
  input: z.object({
    show: z.enum(['live', 'today']).default('live').describe('today: all matches of today.'),
    sport_id: id.optional(),
    competition_id: id.optional(),
    team_id: id.optional(),
  }),
  pageSize: 20,
  output: z.object(matchPage),
  missing: FIND_MATCHES,
  answer({ show, sport_id, competition_id, team_id, limit, page }, scope) {
    const shown = show === 'today' ? dateWindow({}, scope.now) : { ...ANY_DAY, status_type: 'live' as const };
    const query = { ...boardAt(scope.now), ...shown, limit, page, sport_id };
    const found = scope.queries.board(query, scope.access, { competition_id, team_id });
    return matchPageOf(found, scope);
  },
});

export const headToHead = tool({
  name: 'get_head_to_head',
  title: 'Head to head',
  description:
    'Lists the matches of two teams against each other, latest first, and how often each won. Covers stored matches only. Find team ids with search.',
  operations: ['events.index'],
  input: z.object({ team_id: id, opponent_id: id }),
  pageSize: 10,
  output: z.object({
    played: z.int().describe('Matches with a known result, of all pages.'),
    ...each(z.int(), 'team_won', 'drawn', 'opponent_won', 'team_goals', 'opponent_goals'),
    ...matchPage,
  }),
  missing: 'Unknown team. Call search to find teams by name.',
  answer({ team_id, opponent_id, ...paging }, scope) {
    if (team_id === opponent_id)
      throw new ToolError('INVALID_ARGUMENTS', 'team_id and opponent_id are the same team. Send two teams.');
    for (const [name, team] of Object.entries({ team_id, opponent_id }))
      if (!scope.queries.isTeam(team, scope.access))
        throw new ToolError('NOT_FOUND', `${name}: no such team. Call search to find teams by name.`);
    const found = scope.queries.meetings([team_id, opponent_id], scope.access, paging);
    return { ...found.balance, ...matchPageOf(found, scope) };
  },
});
