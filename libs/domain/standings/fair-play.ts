import type { ResultCard } from '#records/types.ts';
import { type GameView, type SeasonCutoff, viewOf } from './game-set.ts';
import type { Game } from './games.ts';
import type { FairPlay } from './ranking-criteria.ts';

/** Numbers of players of a team by the card shown, each player once a game; `unknown`: number of games with unknown cards. */
type Shown = Record<ShownKind | 'unknown', number>;
type ShownKind = (typeof KINDS)[number];

const KINDS = ['yellow', 'second_yellow', 'red', 'yellow_and_red'] as const;

/** Defines the view of cards by the rules that read them: these name the attributes of a second yellow card. */
function shownView(worth: FairPlay): GameView<Map<number, Shown>> {
  return {
    empty: () => new Map(),
    change: (value, game, times) => {
      for (const { id } of [game.home, game.away]) {
        const shown = value.get(id) ?? none();
        if (game.cards === null) shown.unknown += times;
        else for (const kind of shownTo(id, game.cards, worth)) shown[kind] += times;
        value.set(id, shown);
      }
    },
  };
}

/**
 * Returns the fair-play points of teams in all their games up to a cutoff, by team. Returns null when the cards of one of
 * these games are unknown: incomplete cards place no team.
 */
export function fairPlayPoints(
  ids: readonly number[],
  { games, without }: SeasonCutoff,
  worth: FairPlay,
): ReadonlyMap<number, number> | null {
  const view = shownView(worth);
  const shown = games.view(view, worth);
  const later = viewOf(view, without);
  const points = new Map<number, number>();
  for (const id of ids) {
    const [all, since] = [shown.get(id) ?? none(), later.get(id) ?? none()];
    if (all.unknown > since.unknown) return null;
    points.set(
      id,
      KINDS.reduce((sum, kind) => sum + worth[kind] * (all[kind] - since[kind]), 0),
    );
  }
  return points;
}

/** Returns the card that each player of a team was shown in a game. Each card of an unknown player counts by itself. */
function shownTo(
  team: number,
  cards: NonNullable<Game['cards']>,
  { second_yellow_attributes }: FairPlay,
): ShownKind[] {
  const isSecondYellow = ({ kind, attribute_ids }: ResultCard) =>
    kind === 'red' && second_yellow_attributes.some((id) => attribute_ids.includes(id));
  const byPlayer = new Map<number | ResultCard, { yellow: number; red: number; second: boolean }>();
  for (const card of cards) {
    if (card.team_id !== team) continue;
    const player = card.player?.id ?? card;
    const counts = byPlayer.get(player) ?? { yellow: 0, red: 0, second: false };
    counts[card.kind] += 1;
    counts.second ||= isSecondYellow(card);
    byPlayer.set(player, counts);
  }
  return [...byPlayer.values()].map(({ yellow, red, second }) => {
    if (second) return 'second_yellow';
    if (red === 0) return yellow > 1 ? 'second_yellow' : 'yellow';
    if (yellow === 0) return 'red';
    return yellow > 1 ? 'second_yellow' : 'yellow_and_red';
  });
}

function none(): Shown {
  return { yellow: 0, second_yellow: 0, red: 0, yellow_and_red: 0, unknown: 0 };
}
