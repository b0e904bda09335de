/** Selects and orders the matches of the board. */
import { foldName } from '#domain/name-search.ts';
import { type BoardMatch, type Phase, phaseOf } from '#story/match.ts';
import { tradingOf } from '#trading/trading.ts';
import { earliestKickOff } from './board-states.ts';
import type { BoardQuery } from './query.ts';

export type BoardSection = ReturnType<typeof arrange>[number];

const PHASES: readonly Phase[] = ['live', 'upcoming', 'finished', 'other'];

/** No title says that a match is safe: it stays when the connection is lost. */
const TITLES = {
  halted: 'Halted',
  live: 'In play',
  upcoming: 'Upcoming',
  finished: 'Finished',
  other: 'Not in play',
} as const satisfies Readonly<Record<Phase | 'halted', string>>;
const SECTIONS = Object.keys(TITLES) as (keyof typeof TITLES)[];

/** Returns the matches that a query selects. `now`: Unix seconds. */
export function selectMatches(matches: readonly BoardMatch[], query: BoardQuery, now: number): BoardMatch[] {
  const { show, competition, q } = query;
  const words = foldName(q).split(' ').filter(isText);
  return matches.filter(
    (match) =>
      (show === 'all' || phaseOf(match, now) === show) &&
      (competition === null || match.competition_id === competition) &&
      words.every((word) => foldName(teamNames(match)).includes(word)),
  );
}

export function teamNames({ home, away }: BoardMatch): string {
  return [home.name, home.short_name, away.name, away.short_name].filter(isText).join(' ');
}

export function competitionsOf(matches: readonly BoardMatch[]): [id: number, name: string][] {
  const names = new Map<number, string>();
  for (const match of matches)
    if (match.competition_id !== null) names.set(match.competition_id, competitionName(match));
  return [...names].sort((a, b) => a[1].localeCompare(b[1]) || a[0] - b[0]);
}

/** Arranges matches in sections, halted ones first, and in groups by stage: a match has the same place alone as among others. `now`: Unix seconds. */
export function arrange(matches: readonly BoardMatch[], now: number) {
  const placed = matches.map((match) => placeOf(match, now)).sort((a, b) => (a.order < b.order ? -1 : 1));
  return Array.from(
    Map.groupBy(placed, ({ section }) => section),
    ([key, members]) => ({
      key,
      title: TITLES[key],
      groups: Array.from(
        Map.groupBy(members, ({ group }) => group),
        ([group, rows]) => {
          const match = rows[0]?.match as BoardMatch;
          const { season, stage, group: name } = match.levels;
          const title = season ?? competitionName(match);
          return { key: `${key}-${group}`, title, detail: [stage, name].filter(isText).join(' · '), rows };
        },
      ),
    }),
  );
}

/**
 * Returns the place of a match; rows, groups and sections are in the order of the texts of their first rows. Within a section live matches come first, then upcoming ones by the earliest start, overdue ones after
 * them, then others by the latest start.
 */
function placeOf(match: BoardMatch, now: number) {
  const { competition_id, season_id, stage_id, group_id, event_id } = match;
  const start = match.start_date ?? '';
  const phase = phaseOf(match, now);
  const isOver = phase === 'finished' || phase === 'other';
  const isHalted = !isOver && tradingOf(match, match.feed, match.halts).permission === 'halted';
  const section: keyof typeof TITLES = isHalted ? 'halted' : phase;
  const isOverdue = phase === 'upcoming' && start < earliestKickOff(now);
  const group = [competition_id, season_id, stage_id, group_id].join('-');
  const order = [
    SECTIONS.indexOf(section),
    PHASES.indexOf(phase),
    Number(isOverdue),
    // The latest first, and none at all last.
    isOver ? start.replace(/\d/g, (digit) => String(9 - Number(digit))) || '~' : start,
    group,
    String(event_id).padStart(16, '0'),
  ].join('/');
  return { match, section, group, order };
}

function competitionName({ levels, competition_id }: BoardMatch): string {
  return levels.competition ?? (competition_id === null ? 'Other matches' : `Competition ${competition_id}`);
}

function isText(text: string | null): text is string {
  return text !== null && text !== '';
}
