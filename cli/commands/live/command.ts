import { defineCommand } from '../../command.ts';

export const command = defineCommand('live', {
  about: `Shows the live matches: minute, score, firm score, whether each may be traded and why not, and the time since its
last message. On a terminal it updates until Ctrl-C; in a pipe it prints once. Trading permission expires by itself
(docs/guides/feed-health.md).`,
  examples: ['live', 'live --json | jq .trading'],
}).option('--json', 'prints one JSON value per match, once');
