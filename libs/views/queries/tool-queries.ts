/** Queries of the tools: the matches of REST, chosen by the same conditions, with all their derived values. */
import { LRUCache } from 'lru-cache';
import type { Access, EventsQuery, LivescoreQuery, Paging } from '#contract/rest/provider.ts';
import type { TreeLevel } from '#contract/rest/tree.ts';
import { hasResult } from '#domain/message-key.ts';
import { foldName, matchRank } from '#domain/name-search.ts';
import type { FeedStatus } from '#trading/feed-status.ts';
import type { ShownIncident, ShownState } from '../store/board-view.ts';
import type { SubjectChange } from '../store/incidents.ts';
import type { MatchOrder, TeamRow } from '../store/matches.ts';
import type { Conditions, CountedPage } from '../store/sql.ts';
import type { StepClass } from '../store/story-steps.ts';
import type { Views } from '../store/views.ts';
import {
  boardConditions,
  eventConditions,
  isCovered,
  PLAYS,
  requireAccess,
  since,
  visibleEvent,
  visibleEvents,
} from './access.ts';

/** The state of a match, with the names that only its record in the contract has; null where unknown. */
export type NamedMatch = {
  readonly state: ShownState;
  readonly status: string | null;
  readonly round: string | null;
};

/** A match with all its incidents, removed ones included, ordered by id. */
type MatchWithIncidents = NamedMatch & { readonly incidents: readonly ShownIncident[] };

export type MatchChange = SubjectChange & { readonly match: MatchWithIncidents };

/** An undefined field does not filter. */
type ChangesQuery = Paging & {
  /** Finds changes that became visible at this time or later, Unix seconds. */
  readonly timestamp: number;
  readonly competition_id?: number | undefined;
  readonly team_id?: number | undefined;
  readonly match_id?: number | undefined;
  /** Classes of changes to return; null means all. */
  readonly only: ReadonlySet<StepClass> | null;
};

/** Maximum number of cached matches: a few megabytes. */
const MAX_MATCHES = 2_000;
/** Maximum number of meetings of two teams in their balance. */
const MAX_MEETINGS = 1_000;
const MAX_TEAMS = 500;
/** Maximum number of words in a search; further ones are ignored. */
const MAX_WORDS = 8;

const ONE: Paging = { limit: 1, page: 1 };

export type ToolQueries = ReturnType<typeof toolQueries>;

/** Queries the matches of `views`. Every method omits matches outside `access`, or throws `RestError` for them. */
export function toolQueries(views: Views) {
  const { matches, incidentLog, changes, catalogue, tree } = views;
  /** The matches that were read last, by id: lists of live ones are compared each second for each contract. */
  const read = new LRUCache<number, NamedMatch>({ max: MAX_MATCHES });
  views.events.on('stale', (eventId) => read.delete(eventId));
  const matchOf = (id: number): NamedMatch => {
    const known = read.get(id);
    if (known !== undefined) return known;
    const { state, plain } = matches.row(id);
    const match = { state, ...namesOf(plain) };
    read.set(id, match);
    return match;
  };
  const page = (conditions: Conditions, order: MatchOrder, paging: Paging): CountedPage<NamedMatch> => {
    const { total, items } = matches.ids(conditions, order, paging);
    return { total, items: items.map(({ id }) => matchOf(id)) };
  };
  /** Throws `not_found`, `not_served`, `forbidden`. */
  const match = (id: number, access: Access): MatchWithIncidents => {
    visibleEvent(matches, id, access);
    return { ...matchOf(id), incidents: incidentLog.shown(id) };
  };

  return {
    /** Returns the matches of `events.index`. Throws `forbidden`, `not_served`. */
    matches: (query: EventsQuery, access: Access, order: MatchOrder): CountedPage<NamedMatch> =>
      page(eventConditions(query, tree, access), order, query),

    /** Returns the matches of `livescore.index`, of one competition or team if given. Throws `forbidden`, `not_served`. */
    board(
      query: LivescoreQuery,
      access: Access,
      filter: Pick<ChangesQuery, 'competition_id' | 'team_id'> = {},
    ): CountedPage<NamedMatch> {
      const { competition_id, team_id } = filter;
      if (competition_id !== undefined) requireAccess(access, competition_id);
      const conditions = boardConditions(query, access)
        .where('competition_id = ?', competition_id)
        .where(PLAYS, team_id);
      return page(conditions, 'earliest', query);
    },

    isTeam: (id: number, access: Access): boolean =>
      matches.ids(visibleEvents(access).where(PLAYS, id), 'latest', ONE).total > 0,

    /** Returns the matches of two teams against each other, latest first, with the balance of the first team. */
    meetings([team, opponent]: readonly [number, number], access: Access, paging: Paging) {
      const between = (): Conditions => visibleEvents(access).where(PLAYS, team).where(PLAYS, opponent);
      const finished = between().where('status_type = ?', 'finished');
      const { items } = page(finished, 'latest', { limit: MAX_MEETINGS, page: 1 });
      return { ...page(between(), 'latest', paging), balance: balanceOf(team, items) };
    },

    health: (eventId: number, now: number): FeedStatus => views.matchHealth(eventId, now),
    halts: (match: ShownState, now: number) => views.halts.standing(now, match),

    match,

    /** Returns changes, those about goals first. Throws `not_found`, `not_served`, `forbidden`. */
    changes(query: ChangesQuery, access: Access): CountedPage<MatchChange> {
      const { competition_id, team_id, match_id, only } = query;
      if (competition_id !== undefined) requireAccess(access, competition_id);
      if (match_id !== undefined) visibleEvent(matches, match_id, access);
      const conditions = visibleEvents(access)
        .where('s.changed >= ?', since(query.timestamp))
        .where('competition_id = ?', competition_id)
        .where('e.id = ?', match_id)
        .where(PLAYS, team_id);
      if (only !== null) conditions.among('s.class', only);
      const { total, items } = changes.page(conditions, query);
      return {
        total,
        items: items.map((change) => ({ match: match(change.event_id, access), ...change })),
      };
    },

    /** Returns the seasons of a competition, latest first; current: marked so, else the latest. Throws `forbidden`, `not_served`. */
    seasons(competitionId: number, access: Access) {
      requireAccess(access, competitionId);
      const ids = tree.ids('season', { level: 'competition', id: competitionId }).toReversed();
      const current = ids.find((id) => catalogue.find('season', id)?.season?.actual === true) ?? ids[0];
      return ids.map((id) => ({ id, name: catalogue.name('season', id), current: id === current }));
    },

    competitionOf: (seasonId: number): number | null => tree.competitionOf('season', seasonId),

    levelNames: (match: ShownState) => views.levelNames(match),
    /** Returns the name of a competition, season, stage or group; null if unknown. */
    levelName: (level: TreeLevel, id: number | null) => catalogue.name(level, id),

    /** Returns the teams whose name has all words of the query, best match first; ignores accents and case. */
    teams(query: string, access: Access): readonly TeamRow[] {
      const words = wordsOf(query);
      return words.length === 0 ? [] : byRank(matches.teams(words, access.competitions, MAX_TEAMS), words);
    },

    /** Returns the competitions whose name, with that of their area, has all words of the query, best match first. */
    competitions(query: string, access: Access) {
      const words = wordsOf(query);
      if (words.length === 0) return [];
      const found = tree.ids('competition').flatMap((id) => {
        if (!isCovered(access, id)) return [];
        const name = catalogue.name('competition', id);
        if (name === null) return [];
        const area = catalogue.find('competition', id)?.competition?.area_name ?? null;
        return [{ id, name, area, folded: foldName(name), whole: foldName(`${area ?? ''} ${name}`) }];
      });
      return byRank(found, words).map(({ id, name, area }) => ({ id, name, area }));
    },
  };
}

/** Counts the wins, draws, defeats and goals of a team in its matches that have a result, as `get_head_to_head` shows them. */
function balanceOf(team: number, matches: readonly NamedMatch[]) {
  const balance = { played: 0, team_won: 0, drawn: 0, opponent_won: 0, team_goals: 0, opponent_goals: 0 };
  for (const { state } of matches) {
    const { score, home, status_id } = state;
    if (score === null || !hasResult(status_id, 'finished')) continue;
    const [own, other] = home?.id === team ? [score.home, score.away] : [score.away, score.home];
    balance.played += 1;
    balance.team_goals += own;
    balance.opponent_goals += other;
    balance[own > other ? 'team_won' : own < other ? 'opponent_won' : 'drawn'] += 1;
  }
  return balance;
}

function byRank<T extends { readonly folded: string; readonly whole?: string }>(
  items: readonly T[],
  words: readonly string[],
): T[] {
  return items
    .flatMap((item) => {
      const rank = matchRank(item.folded, words) ?? (matchRank(item.whole ?? '', words) === null ? null : 3);
      return rank === null ? [] : [{ item, rank }];
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

function wordsOf(query: string): string[] {
  return foldName(query).split(' ').filter(Boolean).slice(0, MAX_WORDS);
}

/** Returns the names in the JSON of `renderEvent`. */
function namesOf(json: string): Omit<NamedMatch, 'state'> {
  const { status_name, round_name } = JSON.parse(json) as Readonly<Record<string, string | null>>;
  return { status: status_name || null, round: round_name || null };
}
