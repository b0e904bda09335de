import { z } from 'zod';
import type { StepClass } from '#views/store/story-steps.ts';
import { changeOf, shownChange } from './change.ts';
import { id, isoOf, NO_SUCH_MATCH } from './common.ts';
import { ToolError, tool } from './tool.ts';

const MINUTE_MS = 60_000;
const DEFAULT_MINUTES = 10;
const MAX_MINUTES = 7 * 24 * 60;

const ONLY = {
  goals: ['goal', 'taken_back', 'cancellation', 'score'],
  taken_back: ['taken_back'],
  incidents: ['goal', 'taken_back', 'cancellation', 'incident'],
  status: ['status'],
  guard: ['guard'],
} as const satisfies Record<string, readonly StepClass[]>;

export const listChanges = tool({
  name: 'list_changes',
  title: 'What changed',
  description:
    'Lists changes of the last minutes, or since a time, latest first: first all goals, also disputed and taken back ones, with team, player, minute, score and what took them back; then cards, status and trading guard. To follow, send checked_at of the answer as since of the next call; changes around that time may come twice.',
  operations: ['events.index', 'events.incidents'],
  input: z.object({
    minutes: z.int().min(1).max(MAX_MINUTES).optional().describe(`Default ${DEFAULT_MINUTES}.`),
    since: z.iso
      .datetime({
        offset: true,
        error: 'send ISO 8601 with a time zone, such as 2026-08-15T14:30:00Z (Z is UTC)',
      })
      .optional()
      .describe('Instead of minutes: ISO 8601 with a time zone, such as 2026-08-15T14:30:00Z.'),
    only: z
      .enum(Object.keys(ONLY) as (keyof typeof ONLY)[])
      .optional()
      .describe('Only these. taken_back: goals taken back.'),
    match_id: id.optional(),
    competition_id: id.optional(),
    team_id: id.optional(),
  }),
  pageSize: 15,
  output: z.object({
    since: z.string().describe('Send as since with next_page.'),
    checked_at: z.string().describe('Send as since next time.'),
    changes: z.array(shownChange),
  }),
  missing: NO_SUCH_MATCH,
  answer({ minutes, since, only, match_id, competition_id, team_id, limit, page }, scope) {
    if (minutes !== undefined && since !== undefined)
      throw new ToolError('INVALID_ARGUMENTS', 'Send minutes or since, not both.');
    const now = scope.now * 1000;
    const from = since === undefined ? now - (minutes ?? DEFAULT_MINUTES) * MINUTE_MS : Date.parse(since);
    const query = {
      timestamp: Math.floor(from / 1000),
      competition_id,
      team_id,
      match_id,
      only: only === undefined ? null : new Set<StepClass>(ONLY[only]),
      limit,
      page,
    };
    const { items, total } = scope.queries.changes(query, scope.access);
    return {
      since: isoOf(from),
      checked_at: isoOf(now),
      changes: items.map(changeOf),
      total,
    };
  },
});
