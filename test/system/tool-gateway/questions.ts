/** Questions of traders, analysts and fans about matches in play, with the calls that answer them and the true answers. */

import { POINTS, SCORERS } from '../guides/official.ts';
import { type AnsweredMatch, type Assistant, nameOf, text } from './assistant.ts';
import type { TournamentTruth } from './truth.ts';

export type Question = {
  readonly who: 'trader' | 'analyst' | 'fan';
  readonly asks: string;
  answer(assistant: Assistant): Promise<unknown>;
  readonly truth: unknown;
};

export const FINAL = 'France - Croatia';
export const THIRD_PLACE = 'Belgium - England';

/** The truth at a point of the last two matches, from the provider's reports until then. */
export type PlayMoment = {
  readonly truth: TournamentTruth;
  /** Score of the final with and without the goal under review. */
  readonly final: { readonly score: string; readonly firm: string };
  readonly thirdPlace: string;
  /** Cancelled goals of the whole tournament so far. */
  readonly takenBack: readonly { readonly id: string; readonly by: string }[];
};

/** Returns the questions while both matches are in play, with a goal of the final under review. */
export function whileUnderReview({ truth, final, thirdPlace, takenBack }: PlayMoment): Question[] {
  const inOrder = (of: readonly { readonly id: string; readonly by: string }[]) =>
    of.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return [
    {
      who: 'trader',
      asks: 'What is being played, how does it stand, what of it is firm, and do we hear of it?',
      answer: async (a) =>
        (await a.ask('live_board')).matches
          .map((match: AnsweredMatch) => [
            nameOf(match),
            text(match.score),
            text(match.firm_score),
            match.feed.alive,
          ])
          .sort(),
      truth: [
        [THIRD_PLACE, thirdPlace, thirdPlace, true],
        [FINAL, final.score, final.firm, true],
      ],
    },
    {
      who: 'trader',
      asks: 'May I act on the score of the final now, and why not?',
      answer: async (a) => {
        const { act } = await a.liveDetails(FINAL);
        return /^(Do not act): (score under review)/.exec(act)?.slice(1);
      },
      truth: ['Do not act', 'score under review'],
    },
    {
      who: 'trader',
      asks: 'May I act on the match for the third place?',
      answer: async (a) => (await a.liveDetails(THIRD_PLACE)).act,
      truth: `You may act on the firm score ${thirdPlace}: the guard is safe and the feed is alive.`,
    },
    {
      who: 'trader',
      asks: 'Which goals were taken back today, and by what?',
      answer: async (a) => {
        const { changes } = await a.ask('list_changes', { minutes: 1_440, only: 'taken_back', limit: 50 });
        const shown = changes.map(({ incident_id = '', taken_back_by = '' }: Record<string, string>) => ({
          id: incident_id,
          by: taken_back_by.replace(/ \(minute .*/, ''),
        }));
        return inOrder(shown);
      },
      truth: inOrder(takenBack),
    },
    {
      who: 'fan',
      asks: 'Did the goal of Griezmann in the final stand, and when was it?',
      answer: async (a) => {
        const { match_id } = await a.live(FINAL);
        const { timeline } = await a.ask('get_match', { match_id });
        const goal = timeline.find(
          ({ type = '', player }: Record<string, string>) => /goal/i.test(type) && player === 'A. Griezmann',
        );
        return [goal?.stands, goal?.minute];
      },
      truth: [true, truth.goals(truth.match(FINAL)).find(({ player }) => player === 'A. Griezmann')?.minute],
    },
    {
      who: 'analyst',
      asks: 'How did group F end?',
      answer: async (a) => (await a.group('F')).map(({ name }) => name),
      truth: truth.ranking('Group F'),
    },
    {
      who: 'analyst',
      asks: 'How many points has the winner of group G?',
      answer: async (a) => Number((await a.group('Group G'))[0]?.values.pts),
      truth: POINTS[truth.ranking('Group G')[0] ?? ''],
    },
    {
      who: 'analyst',
      asks: 'Which of its finished matches did England draw?',
      answer: async (a) =>
        (await a.matchesOf('England', { status: 'finished' }))
          .filter(({ score }) => score !== null && score.home === score.away)
          .map(nameOf),
      truth: truth
        .matchesOf('England')
        .filter(({ name, score: [home, away] }) => name !== THIRD_PLACE && home === away)
        .map(({ name }) => name),
    },
    {
      who: 'analyst',
      asks: 'Who won, Brazil or Belgium, and how?',
      answer: async (a) => {
        const [team_id, opponent_id] = [await a.team('Brazil'), await a.team('Belgium')];
        const { matches } = await a.ask('get_head_to_head', { team_id, opponent_id });
        return matches.map((match: AnsweredMatch) => [nameOf(match), text(match.score)]);
      },
      truth: truth
        .matchesOf('Brazil')
        .filter(({ name }) => name.includes('Belgium'))
        .map(({ name, score }) => [name, score.join('-')]),
    },
    {
      who: 'analyst',
      asks: 'Who is the top scorer?',
      answer: async (a) => {
        const { results } = await a.ask('search', { query: 'world cup', kind: 'competition' });
        const season_id = results[0]?.seasons[0]?.season_id;
        const [first] = (await a.ask('get_top_scorers', { season_id, limit: 3 })).scorers;
        return [first?.player, first?.goals];
      },
      truth: Object.entries(SCORERS).sort(([, a], [, b]) => b - a)[0],
    },
    {
      who: 'fan',
      asks: 'When did Japan play, and whom?',
      answer: async (a) => (await a.matchesOf('Japan')).map((match) => [match.start, nameOf(match)]),
      truth: truth.matchesOf('Japan').map(({ start, name }) => [start, name]),
    },
    {
      who: 'fan',
      asks: 'How did the shoot-out of Croatia against Denmark end?',
      answer: async (a) =>
        text((await a.matchesOf('Denmark', { order: 'latest', limit: 1 }))[0]?.shoot_out ?? null),
      truth: truth.matchesOf('Denmark').at(-1)?.shootOut?.join('-'),
    },
  ];
}
