/** Gives an order to halt or to resume trading by hand, and says what stands afterwards. */

import type { MatchState } from '#records/types.ts';
import { clockWords, scopeWords } from '#story/halts.ts';
import { type HaltAction, orderHalt, SCOPE } from '#topics/halt-orders.ts';
import { type EditConnection, VersionedTopic } from '#topics/versioned-topic.ts';
import { HaltTable } from '#trading/halts.ts';
import { commandLog, findClusterWith, platformName } from '../../cluster.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { machineNow } from '../../followed-topics.ts';
import { auditOf } from '../../orders.ts';
import { printLine } from '../../terminal.ts';
import { escapeLine } from '../../values.ts';
import { readMatch } from '../match/followed-match.ts';
import { nameOf } from '../match/page.ts';
import type { command } from './command.ts';

export function run(...[eventId, options]: GivenTo<typeof command>): Promise<number> {
  const { for: lasts } = options;
  return orderByHand(eventId, options, (at) => ({
    action: 'halt',
    until: lasts === undefined ? null : at + lasts,
  }));
}

type OrderOptions = Omit<GivenTo<typeof command>[1], 'for'>;

/** Publishes the order. `actionAt`: returns what is ordered at a time, Unix milliseconds. Throws `UsageError`, and as `orderHalt`. */
export async function orderByHand(
  eventId: number | undefined,
  options: OrderOptions,
  actionAt: (at: number) => HaltAction,
): Promise<number> {
  const order = auditOf(options.reason);
  const scope = scopeOf(eventId, options);
  const cluster = await findClusterWith(['trading-halts', 'match-state']);
  const connection = { ...cluster, log: commandLog('halts') };
  const { halted, until } = await orderHalt(connection, { scope, order, ...actionAt(order.at) });
  const found = eventId === undefined ? null : await readMatch(cluster, eventId, ['match-state']);
  const match = found?.state ?? null;
  const about = match === null ? scopeWords(scope) : `match ${match.event_id}, ${nameOf(match)}`;
  const end = until === null ? '' : ` until ${clockWords(until)}`;
  printLine(escapeLine(`${platformName(cluster)}: ${about}: ${halted ? `halted by hand${end}` : 'resumed'}`));
  if (eventId !== undefined && match === null)
    printLine(`${scopeWords(scope)} is unknown here: check its id. The order stands for when it is known`);
  for (const other of halted || match === null ? [] : await othersOf(connection, match))
    printLine(`it stays halted by the halt of ${scopeWords(other)}`);
  return 0;
}

async function othersOf(connection: EditConnection, match: MatchState): Promise<string[]> {
  const table = new HaltTable();
  for (const record of await new VersionedTopic('trading-halts', connection).list())
    table.apply(record.scope, record);
  return table.standing(machineNow(), match).standing.map(({ scope }) => scope);
}

function scopeOf(eventId: number | undefined, { competition, all }: OrderOptions): string {
  const ofMatch = eventId !== undefined && `match:${eventId}`;
  const named = [ofMatch, competition !== undefined && `competition:${competition}`, all && 'all'];
  const [scope, ...more] = named.filter((one) => typeof one === 'string');
  if (scope === undefined || more.length > 0 || !SCOPE.test(scope))
    throw new UsageError('name one match by its event id, one --competition by its id, or --all');
  return scope;
}
