import type { Paging, RestAnswer } from '#contract/rest/provider.ts';
import { pageOf } from '#contract/rest/tree.ts';

/** Returns a page of a list of JSON texts, under its name. */
export function listAnswer(name: string, items: readonly string[], paging: Paging): RestAnswer {
  return { data: listData(name, pageOf(items, paging)), total: items.length };
}

/** Returns a list of JSON texts as an object with one field. */
export function listData(name: string, items: readonly string[]): string {
  return `{"${name}":[${items.join(',')}]}`;
}
