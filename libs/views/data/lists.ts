import { RestError } from '#contract/rest/errors.ts';
import type { Access, Answer, Paging } from '#contract/rest/provider.ts';
import { pageOf } from '#contract/rest/tree.ts';

/** Reading by `timestamp` goes this far back, seconds: another replica may have shown a change a little earlier. */
const SETTLE_SECONDS = 10;

/** The second from which what changed is shown to whoever reads by `timestamp`. */
export function since(timestamp: number): number;
export function since(timestamp: number | null): number | null;
export function since(timestamp: number | null): number | null {
  return timestamp === null ? null : timestamp - SETTLE_SECONDS;
}

/** A page of a list of JSON texts, under its name. */
export function listAnswer(name: string, items: readonly string[], paging: Paging): Answer {
  return { data: listData(name, pageOf(items, paging)), total: items.length };
}

/** The data of a list. */
export function listData(name: string, items: readonly string[]): string {
  return `{"${name}":[${items.join(',')}]}`;
}

/** Whether a contract covers a competition; a contract with a list covers no unknown competition. */
export function isCovered({ competitions }: Access, competitionId: number | null): boolean {
  return competitions === null || (competitionId !== null && competitions.has(competitionId));
}

/** Throws `forbidden` where a competition is not in the contract. */
export function requireAccess(access: Access, competitionId: number | null): void {
  if (!isCovered(access, competitionId)) throw new RestError('FORBIDDEN');
}
