/** What tools ask for beside REST: the same matches, chosen by the same conditions, with all that is derived of them. */
import { LRUCache } from 'lru-cache';
import type { Access, EventsQuery, LivescoreQuery, Paging } from '#contract/rest/provider.ts';
import { fold, rankOf } from '#domain/fold.ts';
import { hasResult, resultScore } from '#domain/result.ts';
import type { FeedStatus } from '#tradability/feed-status.ts';
import type { PlaceIds, ShownIncident, ShownState } from '../store/board-view.ts';
import type { StepClass, SubjectChange } from '../store/changes.ts';
import type { MatchOrder, TeamRow } from '../store/matches.ts';
import type { Conditions, CountedPage } from '../store/sql.ts';
import type { Views } from '../store/views.ts';
import { isCovered, requireAccess, since } from './access.ts';
import { boardConditions, eventConditions, shownTo, visibleEvent } from './events.ts';

/** A match: its state, and what only the contract's record of it has. */
export type NamedMatch = {
  readonly state: ShownState;
  readonly statusName: string | null;
  readonly roundName: string | null;
};

/** A match with everything that happened in it. */
export type MatchWithIncidents = NamedMatch & {
  /** All incidents, removed ones too, by id. */
  readonly incidents: readonly ShownIncident[];
};

export type MatchChange = SubjectChange & { readonly match: MatchWithIncidents };

type Filter = number | undefined;

/** What is undefined does not filter. */
type ChangesQuery = Paging & {
  /** Changes that became visible then or later, Unix seconds. */
  readonly timestamp: number;
  readonly competition_id?: Filter;
  readonly team_id?: Filter;
  readonly match_id?: Filter;
  readonly only: ReadonlySet<StepClass> | null;
};

/** Matches cached as read: a few megabytes. */
const MAX_KNOWN = 2_000;
/** Matches cached with their incidents, some hundred kilobytes each. */
const MAX_DETAILS = 200;
/** Most meetings of two teams that are counted. */
const MAX_MEETINGS = 1_000;
/** Most teams that a search considers. */
const MAX_TEAMS = 500;
/** Most words of a search that count. */
const MAX_WORDS = 8;

const ONE: Paging = { limit: 1, page: 1 };
/** A team is one of the two. */
const PLAYS = '(home_id = ? OR away_id = ?)';

export type ToolQueries = ReturnType<typeof toolQueries>;

/** Answers from the matches of `views`. Every method leaves out, or refuses with `RestError`, what is outside `access`. */
export function toolQueries(views: Views) {
  const { matches, incidentLog, changes, catalogue, places } = views;

  /** Matches by id as last read. */
  const known = new LRUCache<number, { readonly version: number; readonly match: NamedMatch }>({
    max: MAX_KNOWN,
  });
  const matchOf = ({ id, version }: { readonly id: number; readonly version: number }): NamedMatch => {
    const entry = known.get(id);
    if (entry?.version === version) return entry.match;
    const { state, plain } = matches.row(id);
    const match = { state, ...namesOf(plain) };
    known.set(id, { version, match });
    return match;
  };
  /** Matches with their incidents, until one of them changes. */
  const details = new LRUCache<number, { readonly names: number; readonly match: MatchWithIncidents }>({
    max: MAX_DETAILS,
  });
  views.onStale((eventId) => details.delete(eventId));
  /** Throws `not_found`, `forbidden`. */
  const matchDetails = (id: number, access: Access): MatchWithIncidents => {
    const kept = details.get(id);
    if (kept !== undefined && kept.names === views.nameVersion) {
      requireAccess(access, kept.match.state.competition_id);
      return kept.match;
    }
    const { json } = visibleEvent(matches, id, access);
    const state = matches.state(id) as ShownState;
    const match = { state, ...namesOf(json), incidents: incidentLog.shown(id) };
    details.set(id, { names: views.nameVersion, match });
    return match;
  };
  const page = (conditions: Conditions, order: MatchOrder, paging: Paging): CountedPage<NamedMatch> => {
    const { total, items } = matches.versions(conditions, order, paging);
    return { total, items: items.map(matchOf) };
  };

  return {
    /** The events of `events.index`. */
    matches: (query: EventsQuery, access: Access, order: MatchOrder): CountedPage<NamedMatch> =>
      page(eventConditions(query, places, access), order, query),

    /** The events of `livescore.index`, of one competition or team where given. Throws `forbidden`. */
    board(
      query: LivescoreQuery,
      access: Access,
      { competition_id, team_id }: { readonly competition_id?: Filter; readonly team_id?: Filter } = {},
    ): CountedPage<NamedMatch> {
      if (competition_id !== undefined) requireAccess(access, competition_id);
      const conditions = boardConditions(query, access)
        .where('competition_id = ?', competition_id)
        .where(PLAYS, team_id);
      return page(conditions, 'earliest', query);
    },

    /** Whether a team plays in a match that the caller may see. */
    isTeam: (id: number, access: Access): boolean =>
      matches.versions(shownTo(access).where(PLAYS, id), 'latest', ONE).total > 0,

    /** The matches of two teams against each other, latest first, and how they ended for the first one. */
    meetings([team, opponent]: readonly [number, number], access: Access, paging: Paging) {
      const between = (): Conditions => shownTo(access).where(PLAYS, team).where(PLAYS, opponent);
      const finished = between().where('status_type = ?', 'finished');
      const all = page(finished, 'latest', { limit: MAX_MEETINGS, page: 1 }).items.map(({ state }) => state);
      return {
        ...page(between(), 'latest', paging),
        balance: balanceOf(team, all),
      };
    },

    /** The feed status of a match at `now`, Unix milliseconds. */
    health: (eventId: number, now: number): FeedStatus => views.matchHealth(eventId, now),

    match: matchDetails,

    /** What changed since a moment, those about goals first. Throws `not_found`, `forbidden`. */
    changes(query: ChangesQuery, access: Access): CountedPage<MatchChange> {
      const { competition_id, team_id, match_id, only } = query;
      if (competition_id !== undefined) requireAccess(access, competition_id);
      if (match_id !== undefined) visibleEvent(matches, match_id, access);
      const conditions = shownTo(access)
        .where('s.changed >= ?', since(query.timestamp))
        .where('competition_id = ?', competition_id)
        .where('e.id = ?', match_id)
        .where(PLAYS, team_id);
      if (only !== null) conditions.among('s.class', only);
      const { total, items } = changes.page(conditions, query);
      return {
        total,
        items: items.map((change) => ({ match: matchDetails(change.event_id, access), ...change })),
      };
    },

    /** The seasons of a competition, latest first; the current one is the provider's, else the latest. Throws `forbidden`. */
    seasons(competitionId: number, access: Access) {
      requireAccess(access, competitionId);
      const ids = places.ids('season', { level: 'competition', id: competitionId }).toReversed();
      const current = ids.find((id) => catalogue.find('season', id)?.record.actual === 'yes') ?? ids[0];
      return ids.map((id) => ({ id, name: catalogue.name('season', id), current: id === current }));
    },

    /** The competition of a season; null where it is not known. */
    competitionOf: (seasonId: number): number | null => places.competitionOf('season', seasonId),

    /** Names of places, null where they are not known. */
    place: (of: PlaceIds) => views.place(of),

    /** The teams whose name has all the words, best first; accents and case do not matter. */
    teams(query: string, access: Access): readonly TeamRow[] {
      const words = wordsOf(query);
      return words.length === 0 ? [] : byRank(matches.teams(words, access.competitions, MAX_TEAMS), words);
    },

    /** The competitions whose name, with that of their area, has all the words, best first. */
    competitions(query: string, access: Access) {
      const words = wordsOf(query);
      if (words.length === 0) return [];
      const found = places.ids('competition').flatMap((id) => {
        if (!isCovered(access, id)) return [];
        const name = catalogue.name('competition', id);
        if (name === null) return [];
        const reported = catalogue.find('competition', id)?.record.area_name;
        const area = typeof reported === 'string' ? reported : null;
        return [{ id, name, area, folded: fold(name), whole: fold(`${area ?? ''} ${name}`) }];
      });
      return byRank(found, words).map(({ id, name, area }) => ({ id, name, area }));
    },
  };
}

/** How the matches of a team that have a result ended for it. */
function balanceOf(team: number, states: readonly ShownState[]) {
  let [won, drawn, lost, goals, against] = [0, 0, 0, 0, 0];
  for (const state of states) {
    const score = hasResult(state.status_id, 'finished') ? resultScore(state) : null;
    if (score === null) continue;
    const { home } = state;
    const [own, other] = home?.id === team ? [score.home, score.away] : [score.away, score.home];
    goals += own;
    against += other;
    if (own > other) won += 1;
    else if (own < other) lost += 1;
    else drawn += 1;
  }
  return { played: won + drawn + lost, won, drawn, lost, goals, against };
}

function byRank<T extends { readonly folded: string; readonly whole?: string }>(
  items: readonly T[],
  words: readonly string[],
): T[] {
  return items
    .flatMap((item) => {
      const rank = rankOf(item.folded, words) ?? (rankOf(item.whole ?? '', words) === null ? null : 3);
      return rank === null ? [] : [{ item, rank }];
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

function wordsOf(query: string): string[] {
  return fold(query).split(' ').filter(Boolean).slice(0, MAX_WORDS);
}

/** What `renderEvent` has written. */
function namesOf(json: string): Pick<NamedMatch, 'statusName' | 'roundName'> {
  const { status_name, round_name } = JSON.parse(json) as Readonly<Record<string, string | null>>;
  return { statusName: status_name || null, roundName: round_name || null };
}
