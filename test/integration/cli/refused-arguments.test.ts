/** Arguments that commands refuse before they connect; cli/command.test.ts has the refusals that all commands share. */
import { expect, test } from 'vitest';
import { touchlineHere } from '../../support/touchline-here.ts';

/** Names no broker: with one that does not answer, a command that changes something waits 6 s to record its order. */
const NO_BROKER = { DATA_DIR: '/nonexistent' };
const RULES = 'data/alert-rules.json';

test.each([
  ['alerts', 'name a file of rules'],
  [`alerts --rules ${RULES} --format xml`, '--format'],
  [`alerts --rules ${RULES} --format line --out x`, '--out writes JSON'],
  [`alerts --rules ${RULES} --max-age soon`, '--max-age is a time as 30m'],
  ['completion', 'name a shell: bash, fish or zsh'],
  ['completion constructor', 'name a shell: bash, fish or zsh'],
  ['dead-letters', ''],
  ['dead-letters drop', ''],
  ['dead-letters list x', ''],
  ['dead-letters resend', ''],
  ['dead-letters resend abcd --all', ''],
  ['dead-letters resend --all --json', ''],
  ['dead-letters show', ''],
  ['dead-letters show --all', ''],
  ['match', 'name one match by its event id'],
  ['match 1 2', 'name one match by its event id'],
  ['match x', 'name one match by its event id'],
  ['match 1 --at 2100-01-01T00:00:00Z', '--at is in the future'],
  ['match 1 --at noon', '--at must be a moment'],
  ['match 1 --at 1h --follow', '--follow goes with neither'],
  ['position', 'name a processor'],
  ['position match-processor x 1', 'the partition must be a number'],
  ['position match-processor 1', 'name one partition and one offset'],
  ['position match-processor 1 -4', ''],
  ['position match-processor --yes', 'go with a partition and an offset'],
  ['tail', 'name a topic'],
  ['tail match-state match-incident', 'did you mean match-incidents?'],
  ['tail match-state --since 1h --from-beginning', 'exclude each other'],
  ['tail match-state --offset 5', '--offset goes with --partition'],
  ['tail match-state --limit 0', '--limit must be a whole number from 1'],
  ['tail match-state --format {nonsense}', 'it has {topic}, {partition}'],
])('refuses `touchline %s`', async (line, problem) => {
  const { code, out, err } = await touchlineHere(line.split(' '), NO_BROKER);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(problem);
});
