/** Whether a client's lists have changed: by its contract, and by what is played. */
import type { Document } from './documents.ts';
import { readable } from './documents.ts';
import { promptsOf } from './prompts.ts';
import { liveResources } from './resources.ts';
import type { ToolScope } from './tools/tool.ts';
import { covers, toolsOf } from './tools.ts';

/** A list of the protocol. */
export type ListKind = 'tools' | 'prompts' | 'resources';

/** The same text while a list is the same. */
export type ListKeys = Readonly<Record<ListKind, string>>;

/** What the lists of a caller have now. */
export function listKeysOf(documents: readonly Document[], scope: ToolScope, nameVersion: number): ListKeys {
  const { access, data } = scope;
  // Tables are counted: a list of thousands is not made every second. One that is renamed changes the names.
  const tables = covers(access, ['standings.index', 'standings.show'])
    ? data.standingsList({ limit: 1, page: 1 }, access).total
    : 0;
  return {
    tools: toolsOf(access)
      .map(({ name }) => name)
      .join(),
    prompts: promptsOf(access)
      .map(({ name }) => name)
      .join(),
    resources: [
      ...readable(documents, access).map(({ name }) => name),
      ...liveResources(scope).map(({ uri }) => uri),
      tables,
      nameVersion,
    ].join(),
  };
}

/** The lists that differ. */
export function changedLists(before: ListKeys, after: ListKeys): ListKind[] {
  return (['tools', 'prompts', 'resources'] as const).filter((kind) => before[kind] !== after[kind]);
}
