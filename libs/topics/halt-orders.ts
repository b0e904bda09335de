/** Orders to halt and to resume trading by hand, on their compacted topic. */
import { defineError } from '#errors/touchline-error.ts';
import type { OrderAudit, TradingHalt } from '#records/types.ts';
import { isStanding } from '#trading/halts.ts';
import { type EditConnection, VersionedTopic } from './versioned-topic.ts';

/** What is ordered; `until` as in its record. */
export type HaltAction =
  | { readonly action: 'halt'; readonly until: number | null }
  | { readonly action: 'resume' };

/** An order about a scope, a key of the topic. */
export type HaltOrder = HaltAction & { readonly scope: string; readonly order: OrderAudit };

/** Thrown for a resumption of what is not halted. */
export class NotHaltedError extends defineError('NotHaltedError', (scope: string) => [
  'NOT_HALTED',
  `${scope} is not halted by hand`,
]) {}

/** What an order may be about. */
export const SCOPE = /^(?:all|(?:match|competition):[1-9]\d{0,14})$/;

/** Maximum length of a reason, in UTF-16 code units. */
export const MAX_REASON = 200;
/** Orders that a record keeps. */
const KEPT = 100;

/** Returns the reason of an order; null when it is missing, has several lines, or is longer than `MAX_REASON`. */
export function orderReason(text: string | undefined): string | null {
  const reason = text?.trim() ?? '';
  return reason === '' || reason.length > MAX_REASON || /\p{Cc}/u.test(reason) ? null : reason;
}

/** Publishes an order, and returns its scope's record. Throws `NotHaltedError`, and the errors of `VersionedTopic.edit`. */
export function orderHalt(connection: EditConnection, given: HaltOrder): Promise<TradingHalt> {
  const { scope, action, order } = given;
  const halted = given.action === 'halt';
  const until = given.action === 'halt' ? given.until : null;
  const topic = new VersionedTopic('trading-halts', connection);
  return topic.edit(scope, (known) => {
    if (!halted && (known === undefined || !isStanding(known, order.at))) throw new NotHaltedError(scope);
    const orders = [...(known?.orders ?? []), { action, until, order }].slice(-KEPT);
    return { scope, halted, until, orders };
  });
}
