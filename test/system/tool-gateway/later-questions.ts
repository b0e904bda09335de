/** Questions after a goal was reviewed, and after the tournament: see questions.ts. */
import { text } from './assistant.ts';
import { FINAL, mayActOn, type Question } from './questions.ts';
import type { TournamentTruth } from './truth.ts';

/**
 * Returns the questions a quarter of an hour later: the goal and another one are confirmed, and the third place is
 * decided.
 */
export function afterReview(
  truth: TournamentTruth,
  reports: readonly { readonly id: string; readonly kind: string }[],
  { since, score }: { readonly since: () => string; readonly score: string },
): Question[] {
  const [, , , reviewed] = truth.goals(truth.match(FINAL));
  return [
    {
      who: 'trader',
      asks: 'What was reported of goals since I asked last?',
      answer: async (a) => {
        const { changes } = await a.ask('list_changes', { since: since(), only: 'goals', limit: 20 });
        const later = changes.filter(({ at }) => at >= since());
        return later.map(({ incident_id, kind }) => `${incident_id} ${kind}`).sort();
      },
      truth: reports.map(({ id, kind }) => `${id} ${kind}`).sort(),
    },
    {
      who: 'trader',
      asks: 'Did the goal that was under review stand, and whose is it?',
      answer: async (a) => {
        const timeline = await a.liveTimeline(FINAL);
        const goal = timeline.find(({ type, minute }) => type === 'Goal' && minute === reviewed?.minute);
        return [goal?.stands, goal?.player];
      },
      truth: [true, reviewed?.player],
    },
    {
      who: 'trader',
      asks: 'May I act on the final again?',
      answer: async (a) => (await a.liveDetails(FINAL)).act,
      truth: mayActOn(score),
    },
    {
      who: 'analyst',
      asks: 'Who has a yellow card in the final?',
      answer: async (a) => {
        const timeline = await a.liveTimeline(FINAL);
        return timeline.filter(({ type }) => type === 'Yellow card').map(({ player }) => player);
      },
      truth: truth
        .match(FINAL)
        .events.filter(([period, , kind]) => kind === 'yellow' && period === '1H')
        .map(([, , , , person]) => truth.player(person)),
    },
    {
      who: 'fan',
      asks: 'Who is third?',
      answer: async (a) => {
        const match = await a.lastMatchOf('England');
        if (match === undefined || match.score === null) return undefined;
        return match.score.home > match.score.away ? match.home.name : match.away.name;
      },
      truth: 'Belgium',
    },
  ];
}

/** Returns the questions after the tournament. */
export function afterwards(truth: TournamentTruth): Question[] {
  const final = truth.match(FINAL);
  return [
    {
      who: 'trader',
      asks: 'Is anything still being played?',
      answer: async (a) => (await a.ask('live_board')).matches.length > 0,
      truth: false,
    },
    {
      who: 'fan',
      asks: 'How did the final end?',
      answer: async (a) => text((await a.lastMatchOf('Croatia'))?.score ?? null),
      truth: truth.matchesOf('Croatia').at(-1)?.score.join('-'),
    },
    {
      who: 'fan',
      asks: 'Who scored in the final, and when?',
      answer: async (a) => {
        const match = await a.lastMatchOf('Croatia');
        const { timeline } = await a.ask('get_match', { match_id: match?.match_id });
        return timeline
          .filter(({ type, stands }) => stands && ['Goal', 'Penalty goal', 'Own goal'].includes(type))
          .map(({ minute, player }) => [minute, player]);
      },
      truth: truth.goals(final).map(({ minute, player }) => [minute, player]),
    },
    {
      who: 'analyst',
      asks: 'Who is the top scorer?',
      answer: async (a) => {
        const { results } = await a.ask('search', { query: 'world cup', kind: 'competition' });
        const season_id = results[0]?.seasons[0]?.season_id;
        const [first] = (await a.ask('get_top_scorers', { season_id, limit: 3 })).scorers;
        return { player: first?.player, goals: first?.goals };
      },
      truth: truth.topScorer(),
    },
    {
      who: 'analyst',
      asks: 'Has the provider verified the result of the final?',
      answer: async (a) => {
        const match = await a.lastMatchOf('France');
        const { verified_result } = await a.ask('get_match', { match_id: match?.match_id, timeline: 'none' });
        return verified_result;
      },
      truth: true,
    },
  ];
}
