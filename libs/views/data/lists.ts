import { RestError } from '#contract/rest/errors.ts';
import type { Access, Answer, Paging } from '#contract/rest/provider.ts';
import { pageOf } from '#contract/rest/tree.ts';

/** A page of a list of JSON texts, under its name. */
export function listAnswer(name: string, items: readonly string[], paging: Paging): Answer {
  return { data: listData(name, pageOf(items, paging)), total: items.length };
}

/** The data of a list. */
export function listData(name: string, items: readonly string[]): string {
  return `{"${name}":[${items.join(',')}]}`;
}

/** Throws `forbidden` where a competition is not in the contract; one that is not known is in that of nobody who has a list. */
export function requireAccess(access: Access, competitionId: number | null): void {
  if (access.competitions === null) return;
  if (competitionId === null || !access.competitions.has(competitionId)) throw new RestError('forbidden');
}
