/** Ends a match that the provider never ends, by an order of the operator (law 2). */
import { randomBytes } from 'node:crypto';
import { absenceMessage } from '#ingestion/head.ts';
import { findClusterWith, platformName, publishValues, requireConfirmed } from '../../cluster.ts';
import { CommandError, type GivenTo } from '../../command.ts';
import { auditOf } from '../../orders.ts';
import { printLine } from '../../terminal.ts';
import { escapeLine } from '../../values.ts';
import { readMatch, unknownEvent } from '../match/followed-match.ts';
import { nameOf } from '../match/page.ts';
import type { command } from './command.ts';

/** Publishes the order. Throws `CommandError` without `--yes`, and when the match is unknown or deleted already. */
export async function run(...[id, { reason, yes }]: GivenTo<typeof command>): Promise<number> {
  const order = auditOf(reason);
  const cluster = await findClusterWith(['match-state']);
  const match = await readMatch(cluster, id, ['match-state']);
  if (match === null) throw unknownEvent(cluster, id);
  const { state } = match;
  const { status_type } = state;
  const name = `match ${id}, ${nameOf(state)}`;
  if (status_type === 'deleted') throw new CommandError(`${name}, is deleted already`);
  requireConfirmed(
    cluster,
    yes,
    `${name} (${status_type ?? 'status unknown'}) would leave boards and tables, and clients would receive its deletion, until the provider's next message of it`,
  );
  // The clock of this machine may be behind the provider's: an order counts from the last report on.
  const ut = Math.max(Math.floor(order.at / 1_000), ...state.reports.map((reported) => reported.ut));
  const delivery = { deliveryId: randomBytes(8).toString('hex'), receivedAt: order.at };
  const value = absenceMessage(id, ut, { confirmed: true, order }, { origin: 'operator', ...delivery });
  await publishValues(cluster, 'normalized-messages', [{ key: String(id), value }], { client: 'end' });
  printLine(escapeLine(`${platformName(cluster)}: ${name}: ended, until the provider's next message of it`));
  return 0;
}
