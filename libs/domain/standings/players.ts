import type { ResultPerson } from '#records/types.ts';
import type { GameSet } from './game-set.ts';
import type { Game } from './games.ts';
import { rankByFigures } from './ranking.ts';
import { lastRanks, type RankedSeason, type SeasonCutoff } from './standing.ts';
import type { RankedRow } from './types.ts';

/** The numbers of a person's actions by kind, the last known name, and the club of the last action. */
type PersonRecord<T extends string> = {
  readonly counts: Record<T, number>;
  name: string | null;
  clubId: number;
};

type PersonsView<T extends string> = (games: GameSet) => ReadonlyMap<number, PersonRecord<T>>;

const goalsOf = (person: 'player' | 'assistant') =>
  personsView({ goals: 0 }, ({ goals }) =>
    (goals ?? [])
      .filter(({ kind }) => kind !== 'own_goal')
      .map((goal) => ({ person: goal[person], teamId: goal.team_id, what: 'goals' })),
  );
const GOALS = goalsOf('player');
const ASSISTS = goalsOf('assistant');

const CARDS = personsView({ yellow: 0, red: 0 }, ({ cards }) =>
  (cards ?? []).map(({ kind, player, team_id }) => ({ person: player, teamId: team_id, what: kind })),
);

/** Returns the rows of goals by scorer. Own goals and goals of unknown scorers count for no one. */
export function scorerRows(season: RankedSeason): RankedRow[] {
  return personRows(season, GOALS, ({ goals }) => ({ goals_scored: goals }), ['goals_scored']);
}

/** Returns the rows of goals by assistant. */
export function assistRows(season: RankedSeason): RankedRow[] {
  return personRows(season, ASSISTS, ({ goals }) => ({ assists: goals }), ['assists']);
}

/** Returns the rows of cards by player, ranked by points if the rules give cards points, else by number of cards, red first. */
export function cardRows(season: RankedSeason): RankedRow[] {
  const worth = season.rules.card_points;
  const valuesOf = ({ yellow, red }: { readonly yellow: number; readonly red: number }) => ({
    yellow_cards: yellow,
    red_cards: red,
    cards: yellow + red,
    ...(worth && { pts: worth.yellow * yellow + worth.red * red }),
  });
  return personRows(season, CARDS, valuesOf, [...(worth ? ['pts'] : []), 'cards', 'red_cards']);
}

/** Returns a function that counts the actions of each known person. `none`: the counts before any. */
function personsView<T extends string>(
  none: Readonly<Record<T, number>>,
  actionsOf: (
    game: Game,
  ) => readonly { readonly person: ResultPerson | null; readonly teamId: number; readonly what: T }[],
): PersonsView<T> {
  return (games) => {
    const records = new Map<number, PersonRecord<T>>();
    for (const game of games) {
      for (const { person, teamId, what } of actionsOf(game)) {
        if (person === null) continue;
        const clubId = teamId === game.home.id ? teamId : game.away.id;
        const record = records.get(person.id) ?? { counts: { ...none }, name: null, clubId };
        record.counts[what] += 1;
        record.name = person.name ?? record.name;
        record.clubId = clubId;
        records.set(person.id, record);
      }
    }
    return records;
  };
}

/** `rankedBy`: the codes of the values by which persons rank, the first one first. */
function personRows<T extends string>(
  season: RankedSeason,
  view: PersonsView<T>,
  valuesOf: (counts: Readonly<Record<T, number>>) => Readonly<Record<string, number>>,
  rankedBy: readonly string[],
): RankedRow[] {
  const figuresOf = (values: Readonly<Record<string, number>>) => rankedBy.map((code) => values[code] ?? 0);
  const rank = ({ games }: SeasonCutoff) =>
    rankByFigures(Array.from(games.view(view), ([id, { counts }]) => [id, figuresOf(valuesOf(counts))]));
  const last = lastRanks(season, rank);
  const persons = season.now.games.view(view);
  return Array.from(rank(season.now), ([id, position]) => {
    const { name, clubId, counts } = persons.get(id) as PersonRecord<T>;
    return {
      id,
      name,
      club: { id: clubId, name: season.teams.get(clubId)?.name ?? null },
      rank: position,
      last_rank: last(id, clubId),
      values: new Map(Object.entries(valuesOf(counts))),
    };
  });
}
