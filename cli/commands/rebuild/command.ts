/** `touchline rebuild`: makes a processor process its whole input again. */
import { PROCESSOR_NAMES } from '#topics/processors.ts';
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline rebuild <processor> --yes

Makes a processor process its whole input again: deletes its output and its positions, and recreates the topics. The
processors must be stopped; they rebuild at their next start. Output of expired input (normalized-messages keeps 400 days)
is lost.

  match-processor      deletes match-incidents, match-state, match-transitions and match-results, and rebuilds the tables,
                       the webhook composer and the alerts too
  standings-processor  deletes standings-results; tables are derived again, their versions continue
  webhook-composer     deletes webhook-times; what arrived in the last seven days is sent again, under the same ids
  webhook-dispatcher   deletes webhook-progress, and writes to webhook-attempts before where each subscription stands
  alert-processor      deletes alert-guards; alerts of what arrived within --max-age are published again, under the same ids

${BROKER_HELP}
`;

export const command = defineCommand({
  help: HELP,
  options: {
    yes: { type: 'boolean', default: false },
  },
  words: (before) => (before.length === 0 ? PROCESSOR_NAMES : []),
  changes: ({ values }) => values.yes,
});
