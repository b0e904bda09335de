/**
 * Which test runs each printed command as a process, in the state in which it is printed. cli/printed-commands.test.ts fails for a
 * command without a row, and for a row that nothing prints. Commands in blocks of guides and runbooks need no row: the tests of
 * these pages run every block.
 */

export const COMMANDS = 'test/system/printed/commands.release.test.ts';
const REFUSED = 'test/integration/cli/refused-positions.release.test.ts';
const DEMO = 'test/system/printed/demo.release.test.ts';
export const SCRIPTS = 'test/system/printed/kafka-scripts.release.test.ts';
const COMPLETION = 'cli/complete.test.ts';

/** A state of a platform in which commands are printed. */
export type PrintedState =
  | 'running'
  | 'ended demonstration'
  | 'wrong settings'
  | 'lost topic'
  | 'no topics'
  | 'refusing'
  | 'stopped processors'
  | 'failing webhook'
  | 'missing rights'
  | 'starting'
  | 'no broker';

type PrintedRuns = {
  /** The file that prints them; `docs` is any page. */
  readonly in: string;
  readonly state: PrintedState;
  readonly test: string;
  /** As in the source, with its placeholders. A test that takes them from here runs them in this order. */
  readonly commands: readonly string[];
};

export const PRINTED_RUNS: readonly PrintedRuns[] = [
  {
    in: 'cli/commands/clients/webhooks.ts',
    state: 'running',
    test: COMMANDS,
    commands: ['clients webhook rotate-secret <id> <webhookId> --finish'],
  },
  {
    in: 'cli/commands/completion/command.ts',
    state: 'running',
    test: COMPLETION,
    commands: ['completion bash', 'completion fish', 'completion zsh'],
  },
  {
    in: 'cli/commands/demo/report.ts',
    state: 'ended demonstration',
    test: DEMO,
    commands: [
      'tail match-state --from-beginning --exit-at-end',
      'tail match-transitions --from-beginning --exit-at-end',
      'dead-letters list',
    ],
  },
  {
    in: 'cli/commands/doctor/checks.ts',
    state: 'wrong settings',
    test: COMMANDS,
    commands: ['<service> --help'],
  },
  { in: 'cli/commands/doctor/positions.ts', state: 'lost topic', test: COMMANDS, commands: ['topics'] },
  { in: 'cli/commands/doctor/rules.ts', state: 'no topics', test: COMMANDS, commands: ['topics'] },
  {
    in: 'cli/commands/doctor/rules.ts',
    state: 'refusing',
    test: REFUSED,
    commands: ['position <processor> <partition> start', 'rebuild <processor> --yes'],
  },
  {
    in: 'cli/commands/doctor/rules.ts',
    state: 'stopped processors',
    test: COMMANDS,
    commands: ['<processor>'],
  },
  {
    in: 'cli/commands/doctor/webhook-rules.ts',
    state: 'failing webhook',
    test: COMMANDS,
    commands: ['webhooks attempts <id>', 'webhooks enable <id>'],
  },
  { in: 'cli/commands/status/render.ts', state: 'running', test: COMMANDS, commands: ['dead-letters list'] },
  { in: 'cli/commands/status/render.ts', state: 'no topics', test: COMMANDS, commands: ['topics'] },
  { in: 'cli/commands/status/render.ts', state: 'refusing', test: REFUSED, commands: ['doctor'] },
  { in: 'cli/commands/tokens/arguments.ts', state: 'running', test: COMMANDS, commands: ['tokens list'] },
  {
    in: 'cli/commands/up/run.ts',
    state: 'running',
    test: COMMANDS,
    commands: [
      'clients webhook --help',
      'webhooks list',
      'simulator',
      'tail match-state --from-beginning',
      'clients add',
    ],
  },
  { in: 'cli/orders.ts', state: 'lost topic', test: COMMANDS, commands: ['topics'] },
  { in: 'deploy/prometheus/rules/touchline.yml', state: 'running', test: COMMANDS, commands: ['doctor'] },
  {
    in: 'libs/errors/catalogue.json',
    state: 'refusing',
    test: REFUSED,
    commands: [
      'rebuild <processor> --yes',
      'position <processor> <partition> <offset>',
      'position <processor> <partition> end',
      'position <processor> <partition> start',
      'position <processor> <partition> end --yes',
      'position <processor> <partition> <offset> --accept-state',
    ],
  },
  {
    in: 'libs/errors/catalogue.json',
    state: 'refusing',
    test: REFUSED,
    commands: ['position <processor> <partition> <offset> --yes'],
  },
  {
    in: 'libs/errors/catalogue.json',
    state: 'no topics',
    test: COMMANDS,
    commands: ['topics', 'topics --print'],
  },
  { in: 'libs/errors/catalogue.json', state: 'missing rights', test: SCRIPTS, commands: ['acls --print'] },
  {
    in: 'libs/errors/catalogue.json',
    state: 'running',
    test: COMMANDS,
    commands: ['tokens revoke --client <client id> --yes', 'doctor'],
  },
  { in: 'libs/clients/directory.ts', state: 'running', test: COMMANDS, commands: ['doctor'] },
  {
    in: 'libs/streams/runtime/positions.ts',
    state: 'refusing',
    test: REFUSED,
    commands: ['rebuild <application> --yes'],
  },
  {
    in: 'libs/streams/runtime/start-checks.ts',
    state: 'refusing',
    test: REFUSED,
    commands: [
      'position <service> <partition> <start>',
      'position <service> <partition> end --yes',
      'position <service> <partition> <end>',
      'position <application> <partition> <next> --accept-state',
      'position <application> <partition> <offset> --accept-state',
      'position <application> <partition> <next>',
      'position <application> <partition> <from>',
    ],
  },
  { in: 'libs/streams/runtime/start-checks.ts', state: 'no topics', test: COMMANDS, commands: ['topics'] },
  { in: 'libs/streams/runtime/stream.ts', state: 'no topics', test: COMMANDS, commands: ['topics'] },
  {
    in: 'libs/topics/require-rights.ts',
    state: 'no topics',
    test: COMMANDS,
    commands: ['topics', 'topics --print'],
  },
  { in: 'libs/topics/require-rights.ts', state: 'missing rights', test: SCRIPTS, commands: ['acls --print'] },
  {
    in: 'libs/topics/require-settings.ts',
    state: 'missing rights',
    test: SCRIPTS,
    commands: ['acls --print'],
  },
  { in: 'libs/topics/require-settings.ts', state: 'no topics', test: COMMANDS, commands: ['topics'] },
  {
    in: 'services/feed-poller/reconcile/reconcile.ts',
    state: 'running',
    test: COMMANDS,
    commands: ['match <event id> --end --reason <text>'],
  },
  { in: 'docs', state: 'starting', test: COMMANDS, commands: ['doctor', 'status', 'position <processor>'] },
  {
    in: 'docs',
    state: 'running',
    test: COMMANDS,
    commands: [
      '--help',
      'completion bash',
      '<service> --help',
      'clients --help',
      'doctor',
      'doctor webhook-receiver api webhook-dispatcher',
      'status',
      'status --watch',
      'topics',
      'tail match-state',
      'tail match-state --from-beginning',
      'tail catalogue --from-beginning',
      'live',
      'match <event id>',
      'match <event id> --json',
      'match <event id> --at <time>',
      'match <event id> --end --reason "never played" --yes',
      'compare <prefix> <prefix>',
      'dead-letters list',
      'dead-letters resend <dead letter>',
      'position <processor>',
      'position match-processor',
      'position standings-processor',
      'clients add',
      'clients list',
      'clients add --id <client id>',
      'clients webhook add <client id> --url <https address>',
      'tokens list',
      'tokens revoke --client <client id> --yes',
      'webhooks list',
      'clients disable <client id>',
      'clients disable "$CLIENT"',
      'rules check my-rules',
      'rebuild match-processor --yes',
      'rebuild standings-processor --yes',
      'rebuild <processor> --yes',
    ],
  },
  {
    in: 'docs',
    state: 'failing webhook',
    test: COMMANDS,
    commands: ['webhooks undelivered <webhook id>', 'webhooks enable <webhook id>'],
  },
  { in: 'docs', state: 'no broker', test: COMMANDS, commands: ['doctor', 'position match-processor'] },
  {
    in: 'docs',
    state: 'stopped processors',
    test: COMMANDS,
    commands: ['<service>', 'feed-poller', 'webhook-receiver'],
  },
  {
    in: 'docs',
    state: 'refusing',
    test: REFUSED,
    commands: ['rebuild <processor> --yes'],
  },
  {
    in: 'docs',
    state: 'missing rights',
    test: SCRIPTS,
    commands: ['acls --print', 'acls --print --service api --principal User:touchline', 'topics --print'],
  },
];

/** Returns the commands of pages that a test runs in a state. */
export function pageCommands(test: string, state: PrintedState): string[] {
  return PRINTED_RUNS.filter((row) => row.in === 'docs' && row.test === test && row.state === state).flatMap(
    ({ commands }) => commands,
  );
}

const GROW = 'test/system/guides/grow.release.test.ts';

/** Other programs that are printed, and which test runs them, or why none does. */
export const OTHER_PROGRAMS: Readonly<
  Record<string, { readonly test: string } | { readonly reason: string }>
> = {
  'kafka-acls.sh': { test: SCRIPTS },
  'kafka-configs.sh': { test: SCRIPTS },
  'kafka-consumer-groups.sh': { test: SCRIPTS },
  'kafka-topics.sh': { test: SCRIPTS },
  'kafka-transactions.sh': { test: SCRIPTS },
  'connect-mirror-maker.sh': { test: GROW },
  'kafka-delete-records.sh': {
    reason: 'named without arguments: the reader chooses the offsets whose records are gone for good',
  },
  'kafka-reassign-partitions.sh': {
    reason: 'named without arguments: its plan names the brokers of the reader',
  },
  'kafka-storage.sh': { reason: 'named without arguments: it formats the disk of a broker of the reader' },
  'docker compose': {
    reason: 'no container engine runs where tests do; scripts/containers.test.ts reads the file with Compose',
  },
  helm: { reason: 'no cluster runs where tests do; scripts/chart-templates.test.ts renders the chart' },
  kubectl: { reason: 'no cluster runs where tests do' },
};
