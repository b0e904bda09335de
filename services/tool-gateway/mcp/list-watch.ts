/** Detects changes of a client's lists: of its contract, and of live matches and tables. */
import { covers } from '#contract/rest/operations.ts';
import { type ContractDocument, readableDocuments } from './documents.ts';
import { promptsOf } from './prompts.ts';
import { liveResources } from './resources.ts';
import { getStandings } from './tools/standings.ts';
import type { ToolScope } from './tools/tool.ts';
import { toolsOf } from './tools.ts';

/** A list of the protocol. */
export type ListKind = 'tools' | 'prompts' | 'resources';

/** A text for each list, which changes with the list. */
export type ListKeys = Readonly<Record<ListKind, string>>;

/** Returns the current keys of a caller's lists. `nameVersion` changes when anything is renamed. */
export function listKeysOf(
  documents: readonly ContractDocument[],
  scope: ToolScope,
  nameVersion: number,
): ListKeys {
  const { access, data } = scope;
  // Counts tables, as listing thousands every second is expensive; `nameVersion` covers renamed ones.
  const tables = covers(access, getStandings.operations)
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
      ...readableDocuments(documents, access).map(({ name }) => name),
      ...liveResources(scope).map(({ uri }) => uri),
      tables,
      nameVersion,
    ].join(),
  };
}

/** Returns the lists whose keys differ. */
export function changedLists(before: ListKeys, after: ListKeys): ListKind[] {
  return (['tools', 'prompts', 'resources'] as const).filter((kind) => before[kind] !== after[kind]);
}
