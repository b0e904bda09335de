/** Which command lines change a system: those are recorded as orders. */

/** The words and options after a command's name. */
export type GivenWords = {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
};

const WEBHOOK_ORDERS = ['resend', 'skip', 'enable', 'disable'];

const CHANGES: Readonly<Record<string, (given: GivenWords) => boolean>> = {
  clients: ({ positionals: [action = '', sub] }) =>
    !['list', 'show'].includes(action) && !(action === 'webhook' && sub === 'test'),
  'dead-letters': ({ positionals: [action] }) => action === 'resend',
  position: ({ positionals }) => positionals.length > 1,
  rebuild: ({ values }) => values.yes === true,
  replay: () => true,
  tokens: ({ positionals: [action] }) => action !== 'list',
  topics: ({ values }) => values.print !== true,
  webhooks: ({ positionals: [action = ''] }) => WEBHOOK_ORDERS.includes(action),
};

/** Whether a command changes something with these arguments. */
export function changesSomething(command: string, given: GivenWords): boolean {
  return Object.hasOwn(CHANGES, command) && CHANGES[command]?.(given) === true;
}
