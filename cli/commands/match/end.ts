/** Ends a match that the provider never ends, by an order of the operator (law 2). */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { absenceMessage } from '#ingestion/absence.ts';
import type { MatchState } from '#records/types.ts';
import { type OpenCluster, platformName, publishValues, requireConfirmed } from '../../cluster.ts';
import { CommandError } from '../../command.ts';
import { userName } from '../../orders.ts';
import { sidesText } from '../../summaries.ts';
import { printLine } from '../../terminal.ts';
import { escapeLine } from '../../values.ts';

/** Publishes the order. Throws `CommandError` without `yes`, and when the match is deleted already. */
export async function endMatch(
  cluster: OpenCluster,
  state: MatchState,
  { reason, yes }: { readonly reason: string; readonly yes: boolean },
): Promise<number> {
  const { event_id: id, status_type } = state;
  const name = `match ${id}, ${sidesText(state) ?? state.name ?? 'unknown teams'}`;
  if (status_type === 'deleted') throw new CommandError(`${name}, is deleted already`);
  requireConfirmed(
    cluster,
    yes,
    `${name} (${status_type ?? 'status unknown'}) would leave boards and tables, and clients would receive its deletion, until the provider's next message of it`,
  );
  const at = Date.now();
  // The clock of this machine may be behind the provider's: an order counts from the last report on.
  const ut = Math.max(Math.floor(at / 1_000), ...state.reports.map((report) => report.ut));
  const order = { at, user: userName(), host: hostname(), reason };
  const context = { origin: 'operator', deliveryId: randomBytes(8).toString('hex'), receivedAt: at } as const;
  const value = absenceMessage(id, ut, { confirmed: true, order }, context);
  await publishValues(cluster, 'normalized-messages', [{ key: String(id), value }], { client: 'match' });
  printLine(
    escapeLine(
      `${platformName(cluster)}: ${name}: ended. The provider's next message of it takes the order back`,
    ),
  );
  return 0;
}
