/** Questions of traders, analysts and fans about matches in play, with the calls that answer them and the true answers. */
import { type Assistant, nameOf, text } from './assistant.ts';
import type { TournamentTruth } from './truth.ts';

export type Question = {
  readonly who: 'trader' | 'analyst' | 'fan';
  readonly asks: string;
  /** Answers the question with the tools. */
  answer(assistant: Assistant): Promise<unknown>;
  readonly truth: unknown;
};

export const FINAL = 'France - Croatia';
export const THIRD_PLACE = 'Belgium - England';

/** The answer to whether one may act on a match with this firm score. */
export const mayActOn = (score: string): string =>
  `You may act on the firm score ${score}: the guard is safe and the feed is alive.`;

/** The truth at a point of the last two matches, from the provider's reports until then. */
export type PlayMoment = {
  readonly truth: TournamentTruth;
  /** Score of the final with and without the goal under review. */
  readonly final: { readonly score: string; readonly firm: string };
  readonly thirdPlace: { readonly score: string; readonly minute: number };
  /** Cancelled goals of the whole tournament so far. */
  readonly takenBack: readonly { readonly id: string; readonly by: string }[];
};

/** Returns the questions while both matches are in play, with a goal of the final under review. */
export function whileUnderReview({ truth, final, thirdPlace, takenBack }: PlayMoment): Question[] {
  const inOrder = (of: readonly { readonly id: string; readonly by: string }[]) =>
    of.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const scored = (group: string) => truth.record(truth.ranking(group)[0] ?? '');
  return [
    {
      who: 'trader',
      asks: 'What is being played, and how does it stand?',
      answer: async (a) =>
        (await a.ask('live_board')).matches.map((match) => [nameOf(match), text(match.score)]).sort(),
      truth: [
        [THIRD_PLACE, thirdPlace.score],
        [FINAL, final.score],
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
      truth: mayActOn(thirdPlace.score),
    },
    {
      who: 'trader',
      asks: 'Which score of the final is firm?',
      answer: async (a) => text((await a.live(FINAL)).firm_score),
      truth: final.firm,
    },
    {
      who: 'trader',
      asks: 'On which live matches is trading halted?',
      answer: async (a) => (await a.ask('live_board')).matches.filter(({ guard }) => !guard.safe).map(nameOf),
      truth: [FINAL],
    },
    {
      who: 'trader',
      asks: 'Has the provider suspended betting on the final?',
      answer: async (a) => (await a.liveDetails(FINAL)).bet_status,
      truth: 'suspended',
    },
    {
      who: 'trader',
      asks: 'Do we still hear of every live match?',
      answer: async (a) => (await a.ask('live_board')).matches.every(({ feed }) => feed.alive),
      truth: true,
    },
    {
      who: 'trader',
      asks: 'Which goals were taken back today, and by what?',
      answer: async (a) => {
        const { changes } = await a.ask('list_changes', { minutes: 1_440, only: 'taken_back', limit: 50 });
        const shown = changes.map(({ incident_id = '', taken_back_by = '' }) => ({
          id: incident_id,
          by: taken_back_by.replace(/ \(minute .*/, ''),
        }));
        return inOrder(shown);
      },
      truth: inOrder(takenBack),
    },
    {
      who: 'fan',
      asks: 'Which minute is the match for the third place in?',
      answer: async (a) => Math.abs(Number((await a.live(THIRD_PLACE)).minute) - thirdPlace.minute) <= 1,
      truth: true,
    },
    {
      who: 'fan',
      asks: 'Who leads in the final?',
      answer: async (a) => {
        const { home, away, score } = await a.live(FINAL);
        return (score?.home ?? 0) > (score?.away ?? 0) ? home.name : away.name;
      },
      truth: 'France',
    },
    {
      who: 'fan',
      asks: 'Did the goal of Griezmann in the final stand, and when was it?',
      answer: async (a) => {
        const timeline = await a.liveTimeline(FINAL);
        const goal = timeline.find(({ type, player }) => /goal/i.test(type) && player === 'A. Griezmann');
        return [goal?.stands, goal?.minute];
      },
      truth: [true, truth.goals(truth.match(FINAL)).find(({ player }) => player === 'A. Griezmann')?.minute],
    },
    {
      who: 'analyst',
      asks: 'Who is top of group C?',
      answer: async (a) => (await a.group('C'))[0]?.name,
      truth: truth.ranking('Group C')[0],
    },
    {
      who: 'analyst',
      asks: 'How did group F end?',
      answer: async (a) => (await a.group('F')).map(({ name }) => name),
      truth: truth.ranking('Group F'),
    },
    {
      who: 'analyst',
      asks: 'How many points has the winner of group E?',
      answer: async (a) => Number((await a.group('E'))[0]?.values.pts),
      truth: scored('Group E').points,
    },
    {
      who: 'analyst',
      asks: 'How many goals has the winner of group G scored, and allowed?',
      answer: async (a) => {
        const { goals_scored, goals_allowed } = (await a.group('Group G'))[0]?.values ?? {};
        return [Number(goals_scored), Number(goals_allowed)];
      },
      truth: [scored('Group G').scored, scored('Group G').allowed],
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
        return matches.map((match) => [nameOf(match), text(match.score)]);
      },
      truth: truth
        .matchesOf('Brazil')
        .filter(({ name }) => name.includes('Belgium'))
        .map(({ name, score }) => [name, score.join('-')]),
    },
    {
      who: 'fan',
      asks: 'How did France against Argentina end?',
      answer: async (a) =>
        text(
          (await a.matchesOf('France')).find((match) => nameOf(match) === 'France - Argentina')?.score ??
            null,
        ),
      truth: truth
        .matchesOf('France')
        .find(({ name }) => name === 'France - Argentina')
        ?.score.join('-'),
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
      answer: async (a) => text((await a.lastMatchOf('Denmark'))?.shoot_out ?? null),
      truth: truth.matchesOf('Denmark').at(-1)?.shootOut?.join('-'),
    },
  ];
}
