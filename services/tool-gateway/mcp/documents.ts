/** The contract's documents as resources: what the client may see, the REST contract, and the catalogues behind ids. */
import { openApi } from '#contract/rest/openapi.ts';
import type { OperationName } from '#contract/rest/operations.ts';
import type { Access, CatalogueQuery, ProviderData } from '#contract/rest/provider.ts';
import { covers, toolsOf } from './tools.ts';

export type Document = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Operations of the contract that a client needs to read it. */
  readonly operations: readonly OperationName[];
  /** JSON text. */
  read(access: Access): string;
};

/** All of a catalogue. */
const EVERYTHING: CatalogueQuery = { limit: 100_000, page: 1 };

/** The documents, in the order in which they are listed. `version` is that of the service. */
export function documentsOf(data: ProviderData, version: string): readonly Document[] {
  const rest = JSON.stringify(openApi({ version }));
  return [
    {
      name: 'contract',
      title: 'Your contract',
      description: 'What your contract covers: competitions, operations of REST, tools of this endpoint.',
      operations: [],
      read: (access) => JSON.stringify(contractOf(access)),
    },
    {
      name: 'openapi',
      title: 'The REST contract',
      description: 'OpenAPI document of the REST interface that answers from the same data.',
      operations: [],
      read: () => rest,
    },
    {
      name: 'statuses',
      title: 'Statuses',
      description: 'What the ids of statuses mean.',
      operations: ['statuses.index'],
      read: () => data.statuses(EVERYTHING).data.toString(),
    },
    {
      name: 'incident-types',
      title: 'Incident types',
      description: 'What the ids of incident types mean, and which interrupt play or matter to traders.',
      operations: ['incidents.index'],
      read: () => data.incidentTypes(EVERYTHING).data.toString(),
    },
    {
      name: 'standings-types',
      title: 'Types of tables',
      description: 'The types of tables with the codes of their columns.',
      operations: ['standings-types.index'],
      read: () => data.standingsTypes(EVERYTHING).data.toString(),
    },
  ];
}

export function readable(documents: readonly Document[], access: Access): Document[] {
  return documents.filter(({ operations }) => covers(access, operations));
}

function contractOf(access: Access) {
  const { competitions, contracted } = access;
  return {
    client_id: access.clientId,
    competitions: idsOf(contracted === undefined ? competitions : contracted),
    ...(contracted === undefined ? {} : { served_here: idsOf(competitions) }),
    operations: access.operations === null ? 'all' : [...access.operations].sort(),
    tools: toolsOf(access).map(({ name }) => name),
  };
}

function idsOf(competitions: Access['competitions']): 'all' | number[] {
  return competitions === null ? 'all' : [...competitions].sort((a, b) => a - b);
}
