/** `touchline match`: shows one match with its story. */
import { Option } from 'commander';
import { defineCommand } from '../../command.ts';
import { parseEventId, parsePastTime } from '../option-values.ts';

export const command = defineCommand('match', {
  about: `Shows one match: score, firm score, whether it may be traded, and its incidents with minute, running score, team and
player, the reason why a goal is void, and the times when each was reported, confirmed or withdrawn. Exit code 1 when the match is
unknown here, or when what had been published at the time is no longer held.`,
  examples: ['match 310064 --follow', 'match 310064 --at 2h'],
})
  .argument('<event id>', '', parseEventId)
  .addOption(
    new Option(
      '--follow',
      'keeps running: a terminal redraws the page with each change, a pipe gets a line per change',
    ).conflicts(['at', 'json']),
  )
  .option(
    '--at <time>',
    'shows what had been published at that time: score, firm score, guard, and the changes up to it; as 2026-11-21T18:00:00Z, or a duration ago as 90s, 30m, 2h, 7d. Records are committed milliseconds after they are written; those that retention or compaction removed are reported as missing',
    parsePastTime,
  )
  .option(
    '--json',
    'prints one JSON value: state, trading, feed, story (incidents), course (what could be traded over time, each score with the time from which it was known) and history (scores, guard, status, feed), as the page of the board',
  );
