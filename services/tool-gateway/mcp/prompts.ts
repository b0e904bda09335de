/** Prompts: questions that a user may start with. The text of each names the calls that answer it. */

import type { GetPromptResult, Prompt, PromptArgument } from '@modelcontextprotocol/server';
import { covers } from '#contract/rest/operations.ts';
import type { Access } from '#contract/rest/provider.ts';
import { listChanges } from './tools/changes.ts';
import { getMatch } from './tools/match.ts';
import { listMatches, liveBoard } from './tools/matches.ts';
import { search } from './tools/search.ts';
import { getStandings } from './tools/standings.ts';
import { invalidParams, type Tool } from './tools/tool.ts';

type PromptValues = Readonly<Record<string, string>>;

type Question = Pick<Prompt, 'name' | 'title' | 'description'> & {
  readonly arguments: PromptArgument[];
  /** Tools that the text names: a contract that lacks one of them does not have the prompt. */
  readonly tools: readonly Tool[];
  text(values: PromptValues): string;
};

/** Maximum length of a value, characters: it is a name. */
const MAX_VALUE = 100;

const QUESTIONS: readonly Question[] = [
  {
    name: 'may-i-act',
    title: 'May I act on this score?',
    description: 'Whether to act on the score of a match now, and why not.',
    arguments: [{ name: 'team', description: 'Name of a team of the match.', required: true }],
    tools: [search, liveBoard, listMatches, getMatch],
    text: ({ team }) =>
      `May I act on the score of the match of ${team} now?

Find the team with search, its match with live_board (team_id), or with list_matches if it is not live. Then call get_match and answer with its \`act\` line first, word for word: it combines the guard, the firm score and the health of the feed. Then give the score, the firm score and the minute. Call again before each decision: an answer is valid for two seconds. If you cannot read the match, the answer is no.`,
  },
  {
    name: 'catch-up',
    title: 'What did I miss?',
    description: 'What happened in the last minutes: goals first, then goals taken back.',
    arguments: [
      { name: 'minutes', description: 'Minutes to look back; default 10.', required: false },
      { name: 'competition', description: 'Name of the only competition.', required: false },
    ],
    tools: [search, listChanges],
    text: ({ minutes = '10', competition }) =>
      `What happened in the last ${minutes} minutes${competition === undefined ? '' : ` in ${competition}`}?

${competition === undefined ? '' : 'Find competition_id with search. '}Call list_changes with minutes, and its pages until next_page is null. List goals first, with team, player, minute and the score after them; then goals taken back, and by what; then cards and matches that began or ended. Say which goals still await confirmation. If nothing changed, say so.`,
  },
  {
    name: 'table',
    title: 'Who is top?',
    description: 'The table of a competition, or of one of its groups.',
    arguments: [
      { name: 'competition', description: 'Its name.', required: true },
      { name: 'season', description: 'Its name; default the current one.', required: false },
      { name: 'group', description: 'Name of a group, or its last word: C.', required: false },
    ],
    tools: [search, getStandings],
    text: ({ competition, season, group }) =>
      `Who is top ${group === undefined ? 'of' : `of group ${group} of`} ${competition}${season === undefined ? '' : `, season ${season}`}?

Find the competition and its seasons with search, then call get_standings with ${season === undefined ? 'competition_id' : 'the season_id of that season'}${group === undefined ? '' : ` and group ${JSON.stringify(group)}`}. Answer who leads, by how many points, and after how many matches; then give the rows in order.`,
  },
];

export function promptsOf(access: Access): Prompt[] {
  return questionsOf(access).map(({ tools: _tools, text: _text, ...prompt }) => prompt);
}

/** Returns a prompt with its text. Throws `ProtocolError` for an unknown prompt, or a missing or too long argument. */
export function getPrompt(name: string, given: PromptValues, access: Access): GetPromptResult {
  const question = questionsOf(access).find((one) => one.name === name);
  if (question === undefined) throw invalidParams(`Unknown prompt: ${name.slice(0, MAX_VALUE)}`);
  const values: Record<string, string> = {};
  for (const { name: key, required } of question.arguments) {
    // A client may send an empty text for an argument that its user left out.
    const value = given[key]?.trim() ?? '';
    if (value === '' && required === true) throw invalidParams(`The prompt needs the argument ${key}`);
    if (value.length > MAX_VALUE)
      throw invalidParams(`The argument ${key} is longer than ${MAX_VALUE} characters`);
    if (value !== '') values[key] = value;
  }
  const { description } = question;
  return {
    description,
    messages: [{ role: 'user', content: { type: 'text', text: question.text(values) } }],
  };
}

function questionsOf(access: Access): readonly Question[] {
  return QUESTIONS.filter(({ tools }) => tools.every(({ operations }) => covers(access, operations)));
}
