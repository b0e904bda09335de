import { fold } from '#domain/fold.ts';
import { type BoardMatch, nameOf, type Phase, phaseOf } from './match.ts';

/** What of the board is asked for. */
export type BoardQuery = {
  readonly show: 'all' | 'live' | 'upcoming' | 'finished';
  readonly by: 'status' | 'competition';
  /** Null: all. */
  readonly competition: number | null;
  /** Words of the names of its teams, with or without accents; empty: all. */
  readonly q: string;
};

/** Matches of one stage or group. */
export type BoardGroup = {
  readonly key: string;
  readonly title: string;
  readonly detail: string;
  readonly matches: readonly BoardMatch[];
};
export type BoardSection = {
  readonly key: string;
  readonly title: string;
  readonly groups: readonly BoardGroup[];
};

/** How many matches there are of each kind, among those that the rest of the query leaves. */
type Counts = Readonly<Record<BoardQuery['show'], number>>;

export type Arrangement = {
  readonly sections: readonly BoardSection[];
  readonly counts: Counts;
  /** Every competition on the board, by name. */
  readonly competitions: readonly { readonly id: number; readonly name: string }[];
  /** Matches shown. */
  readonly shown: number;
};

const PHASES: readonly Phase[] = ['live', 'upcoming', 'finished', 'other'];
const PHASE_TITLES: Readonly<Record<Phase, string>> = {
  live: 'Live now',
  upcoming: 'Upcoming',
  finished: 'Finished',
  other: 'Not played',
};

/** Sorts matches into what is shown: live ones first. */
export function arrange(matches: Iterable<BoardMatch>, query: BoardQuery): Arrangement {
  const all = [...matches];
  const words = fold(query.q).split(' ').filter(isText);
  const asked = all.filter((match) => isOf(match, query.competition, words));
  const shown = asked.filter((match) => query.show === 'all' || phaseOf(match) === query.show);
  const ordered = shown.map(placed).sort(inOrder);
  const count = (phase: Phase): number => asked.filter((match) => phaseOf(match) === phase).length;
  return {
    sections: sectionsOf(ordered, query.by),
    counts: {
      all: asked.length,
      live: count('live'),
      upcoming: count('upcoming'),
      finished: count('finished'),
    },
    competitions: competitionsOf(all),
    shown: shown.length,
  };
}

/** Whether a match is one of those asked for, its phase aside. */
function isOf(match: BoardMatch, competition: number | null, words: readonly string[]): boolean {
  if (competition !== null && match.competition_id !== competition) return false;
  if (words.length === 0) return true;
  const { home, away } = match;
  const names = fold([home.name, home.short_name, away.name, away.short_name].filter(isText).join(' '));
  return words.every((word) => names.includes(word));
}

type Placed = { readonly match: BoardMatch; readonly rank: number };

function placed(match: BoardMatch): Placed {
  return { match, rank: PHASES.indexOf(phaseOf(match)) };
}

/** Live ones first; those to come soonest first, those that are over latest first. */
function inOrder(a: Placed, b: Placed): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  const byStart = (a.match.start_date ?? '').localeCompare(b.match.start_date ?? '');
  const over = a.rank >= PHASES.indexOf('finished');
  return (over ? -byStart : byStart) || a.match.event_id - b.match.event_id;
}

function sectionsOf(ordered: readonly Placed[], by: BoardQuery['by']): BoardSection[] {
  const bySection = Map.groupBy(ordered, ({ match }) =>
    by === 'status' ? phaseOf(match) : `competition-${match.competition_id ?? ''}`,
  );
  return Array.from(bySection, ([key, members]) => {
    const first = members[0]?.match;
    const title =
      by === 'status' ? PHASE_TITLES[key as Phase] : first === undefined ? '' : competitionName(first);
    return { key, title, groups: groupsOf(key, members, by) };
  });
}

function groupsOf(section: string, members: readonly Placed[], by: BoardQuery['by']): BoardGroup[] {
  const byPlace = Map.groupBy(members, ({ match }) =>
    [match.competition_id, match.season_id, match.stage_id, match.group_id].join('-'),
  );
  return Array.from(byPlace, ([key, placedMatches]) => {
    const matches = placedMatches.map(({ match }) => match);
    const { place } = matches[0] as BoardMatch;
    const inside = [place.stage, place.group].filter(isText);
    const season = place.season ?? place.competition ?? '';
    return {
      key: `${section}-${key}`,
      title: by === 'status' || inside.length === 0 ? season : inside.join(' · '),
      detail: by === 'status' ? inside.join(' · ') : inside.length === 0 ? '' : season,
      matches,
    };
  });
}

function competitionsOf(matches: readonly BoardMatch[]): Arrangement['competitions'] {
  const names = new Map<number, string>();
  for (const match of matches) {
    if (match.competition_id !== null) names.set(match.competition_id, competitionName(match));
  }
  return Array.from(names, ([id, name]) => ({ id, name })).sort(
    (a, b) => a.name.localeCompare(b.name) || a.id - b.id,
  );
}

function competitionName({ place, competition_id }: BoardMatch): string {
  return place.competition ?? (competition_id === null ? 'Other matches' : `Competition ${competition_id}`);
}

function isText(text: string | null): text is string {
  return text !== null && text !== '';
}

/** What a change of score is announced as. */
export type ScoreNews = 'goal' | 'cancelled';

/** The announcement of a change of score; null where the score did not change. */
export function scoreNews(before: BoardMatch, after: BoardMatch): ScoreNews | null {
  if (before.score === null || after.score === null) return null;
  const home = after.score.home - before.score.home;
  const away = after.score.away - before.score.away;
  if (home > 0 || away > 0) return 'goal';
  return home < 0 || away < 0 ? 'cancelled' : null;
}

/** E.g. `Goal: Brazil 2, Serbia 0, under review.` */
export function newsWords(kind: ScoreNews, match: BoardMatch): string {
  const { home, away, score, under_review } = match;
  const what = kind === 'goal' ? 'Goal' : 'Goal cancelled';
  const review = under_review ? ', under review' : '';
  return `${what}: ${nameOf(home)} ${score?.home ?? 0}, ${nameOf(away)} ${score?.away ?? 0}${review}.`;
}
