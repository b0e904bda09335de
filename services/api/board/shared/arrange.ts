import { foldName } from '#domain/name-search.ts';
import { type BoardMatch, type Phase, phaseOf } from '#story/match.ts';
import { dateWords, timeWords } from '#story/words.ts';
import { tradingOf } from '#tradability/trading.ts';

/** Filters and order of the board. */
export type BoardQuery = {
  readonly show: 'all' | 'live' | 'upcoming' | 'finished' | 'favourites';
  /** Order of the matches, and meaning of the sections. */
  readonly by: 'status' | 'halted' | 'competition' | 'favourites' | 'kick-off';
  /** Null: all. */
  readonly competition: number | null;
  /** Words in the names of the teams, with or without accents; empty: all. */
  readonly q: string;
};

/** Returns how matches are laid out: favourites alone as cards with everything a row has. */
export function cardsOrRows({ show }: BoardQuery): 'cards' | 'rows' {
  return show === 'favourites' ? 'cards' : 'rows';
}

export type Arrangement = ReturnType<typeof arrange>;
export type BoardSection = Arrangement['sections'][number];
/** Matches of one stage or group, or with one kick-off. */
export type BoardGroup = BoardSection['groups'][number];

/** Seconds. */
const DAY = 86_400;

const PHASES: readonly Phase[] = ['live', 'upcoming', 'finished', 'other'];

const TITLES: Readonly<Record<Phase | 'favourites' | 'halted' | 'safe', string>> = {
  favourites: 'Favourites',
  halted: 'Halted',
  safe: 'Safe',
  live: 'Live now',
  upcoming: 'Upcoming',
  finished: 'Finished',
  other: 'Not in play',
};

/**
 * Filters, sorts and groups matches. `favourites`: event ids; null on the server, which does not know them: all count as favourites.
 * `now`: Unix seconds.
 */
export function arrange(
  matches: Iterable<BoardMatch>,
  query: BoardQuery,
  favourites: ReadonlySet<number> | null,
  now: number,
) {
  const all = [...matches];
  const words = foldName(query.q).split(' ').filter(isText);
  const selected = all.filter((match) => isSelected(match, query.competition, words));
  const isFavourite = ({ event_id }: BoardMatch): boolean => favourites?.has(event_id) ?? true;
  const shown = selected.filter((match) => {
    if (query.show === 'favourites') return isFavourite(match);
    return query.show === 'all' || phaseOf(match, now) === query.show;
  });
  const dayAgo = new Date((now - DAY) * 1000).toISOString().slice(0, 16).replace('T', ' ');
  const sectionOf = SECTIONS[query.by];
  const arranged = shown.map((match) => ({
    match,
    phase: phaseOf(match, now),
    isOverdue: phaseOf(match, now) === 'upcoming' && (match.start_date ?? '') < dayAgo,
    section: sectionOf(match, favourites !== null && isFavourite(match), now),
    group: groupOf(match, query.by),
  }));
  const ordered = arranged.sort(query.by === 'kick-off' ? byKickOff : byPhase);
  const count = (phase: Phase): number => selected.filter((match) => phaseOf(match, now) === phase).length;
  return {
    sections: sectionsOf(ordered, query.by),
    /** Number of matches for each value of `show`, among those that the rest of the query selects. */
    counts: {
      all: selected.length,
      live: count('live'),
      upcoming: count('upcoming'),
      finished: count('finished'),
      favourites: selected.filter(isFavourite).length,
    },
    /** Matches that are shown and may be traded or are halted, and how many of them are halted. */
    trading: tradingCounts(shown),
    /** All competitions on the board, in the order of their names. */
    competitions: competitionsOf(all),
    shown: shown.length,
  };
}

function tradingCounts(shown: readonly BoardMatch[]) {
  const permissions = shown.map((match) => tradingOf(match, match.feed, match.halts).permission);
  const halted = permissions.filter((permission) => permission === 'halted').length;
  return { halted, of: halted + permissions.filter((permission) => permission === 'safe').length };
}

/** Whether a match is in the competition and has all words in its names of teams. Null and no words select all. */
function isSelected(match: BoardMatch, competition: number | null, words: readonly string[]): boolean {
  if (competition !== null && match.competition_id !== competition) return false;
  if (words.length === 0) return true;
  const { home, away } = match;
  const names = foldName([home.name, home.short_name, away.name, away.short_name].filter(isText).join(' '));
  return words.every((word) => names.includes(word));
}

type Section = { readonly key: string; readonly title: string; readonly rank: number };
type ArrangedMatch = {
  readonly match: BoardMatch;
  readonly phase: Phase;
  /** Whether it has not begun and its kick-off was more than a day ago. */
  readonly isOverdue: boolean;
  readonly section: Section;
  /** Key of its group within the section. */
  readonly group: string;
};

function rankedSection(key: keyof typeof TITLES): Section {
  return { key, title: TITLES[key], rank: Object.keys(TITLES).indexOf(key) };
}

/** Returns the section of a match, by the order of the board. */
const SECTIONS: Readonly<
  Record<BoardQuery['by'], (match: BoardMatch, isFavourite: boolean, now: number) => Section>
> = {
  status: (match, _, now) => rankedSection(phaseOf(match, now)),
  halted: (match, _, now) => {
    const { permission } = tradingOf(match, match.feed, match.halts);
    return rankedSection(permission === 'not_in_play' ? phaseOf(match, now) : permission);
  },
  favourites: (match, isFavourite, now) => rankedSection(isFavourite ? 'favourites' : phaseOf(match, now)),
  competition: (match) => ({
    key: `competition-${match.competition_id ?? ''}`,
    title: competitionName(match),
    rank: 0,
  }),
  'kick-off': ({ start_date }) => {
    const day = start_date?.slice(0, 10) ?? '';
    return { key: `day-${day}`, title: dateWords(start_date) || 'No kick-off yet', rank: 0 };
  },
};

/**
 * Compares matches by section, then live ones first, then upcoming ones by the earliest start, overdue ones after them, then others by
 * the latest start. Compares
 * equal starts by group, so that a group stays in place when its first match leaves.
 */
function byPhase(a: ArrangedMatch, b: ArrangedMatch): number {
  const rank = a.section.rank - b.section.rank || PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase);
  if (rank !== 0) return rank;
  if (a.isOverdue !== b.isOverdue) return a.isOverdue ? 1 : -1;
  const byStart = compareText(startOf(a), startOf(b));
  const over = PHASES.indexOf(a.phase) >= PHASES.indexOf('finished');
  return (over ? -byStart : byStart) || compareText(a.group, b.group) || a.match.event_id - b.match.event_id;
}

/** Compares matches by kick-off; those without one come last. */
function byKickOff(a: ArrangedMatch, b: ArrangedMatch): number {
  return compareText(startOf(a) || '9', startOf(b) || '9') || a.match.event_id - b.match.event_id;
}

/** Compares by code units, ten times as fast as `localeCompare`; dates need no more. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function startOf({ match }: ArrangedMatch): string {
  return match.start_date ?? '';
}

function sectionsOf(ordered: readonly ArrangedMatch[], by: BoardQuery['by']) {
  return Array.from(
    Map.groupBy(ordered, ({ section }) => section.key),
    ([key, members]) => ({
      key,
      title: members[0]?.section.title ?? '',
      groups: Array.from(
        Map.groupBy(members, ({ group }) => group),
        ([group, arranged]) => {
          const matches = arranged.map(({ match }) => match);
          return { key: `${key}-${group}`, ...headOf(matches[0] as BoardMatch, by), matches };
        },
      ),
    }),
  );
}

/** Returns the key of a match's group: its stage and group, or its kick-off. */
function groupOf(match: BoardMatch, by: BoardQuery['by']): string {
  const { start_date, competition_id, season_id, stage_id, group_id } = match;
  return by === 'kick-off' ? (start_date ?? '') : [competition_id, season_id, stage_id, group_id].join('-');
}

/** Returns the head of a match's group, by ids where the feed has no names. */
function headOf(match: BoardMatch, by: BoardQuery['by']) {
  const { levels, start_date } = match;
  if (by === 'kick-off') return { title: timeWords(start_date), detail: '' };
  const inside = [levels.stage, levels.group].filter(isText);
  const season =
    levels.season ?? (by === 'competition' ? (levels.competition ?? '') : competitionName(match));
  if (by === 'competition')
    return inside.length === 0
      ? { title: season, detail: '' }
      : { title: inside.join(' · '), detail: season };
  return { title: season, detail: inside.join(' · ') };
}

function competitionsOf(matches: readonly BoardMatch[]) {
  const names = new Map<number, string>();
  for (const match of matches) {
    if (match.competition_id !== null) names.set(match.competition_id, competitionName(match));
  }
  return Array.from(names, ([id, name]) => ({ id, name })).sort(
    (a, b) => a.name.localeCompare(b.name) || a.id - b.id,
  );
}

function competitionName({ levels, competition_id }: BoardMatch): string {
  return levels.competition ?? (competition_id === null ? 'Other matches' : `Competition ${competition_id}`);
}

function isText(text: string | null): text is string {
  return text !== null && text !== '';
}
