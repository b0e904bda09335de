/** Documents that are served as resources: the client's contract, the REST contract, and catalogues of ids. */
import { openApi } from '#contract/rest/openapi.ts';
import { covers, type OperationName } from '#contract/rest/operations.ts';
import type { Access, CatalogueQuery, ProviderData } from '#contract/rest/provider.ts';
import { toolsOf } from './tools.ts';

/** A document that is served as a resource. */
export type ContractDocument = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Operations that a client's contract needs to read it. */
  readonly operations: readonly OperationName[];
  /** JSON text. */
  read(access: Access): string;
};

const WHOLE_CATALOGUE: CatalogueQuery = { limit: 100_000, page: 1 };

/** Returns all documents, in the order of the list. `version` is that of the service. */
export function documentsOf(data: ProviderData, version: string): readonly ContractDocument[] {
  const rest = JSON.stringify(openApi({ version }));
  return [
    {
      name: 'contract',
      title: 'Your contract',
      description: 'What your contract covers: competitions, REST operations, tools.',
      operations: [],
      read: (access) => JSON.stringify(contractOf(access)),
    },
    {
      name: 'openapi',
      title: 'The REST contract',
      description: 'OpenAPI document of the REST interface to the same data.',
      operations: [],
      read: () => rest,
    },
    {
      name: 'statuses',
      title: 'Statuses',
      description: 'Ids and names of statuses.',
      operations: ['statuses.index'],
      read: () => data.statuses(WHOLE_CATALOGUE).data.toString(),
    },
    {
      name: 'incident-types',
      title: 'Incident types',
      description: 'Ids and names of incident types, and which interrupt play or matter to traders.',
      operations: ['incidents.index'],
      read: () => data.incidentTypes(WHOLE_CATALOGUE).data.toString(),
    },
    {
      name: 'standings-types',
      title: 'Types of tables',
      description: 'Types of tables with the codes of their columns.',
      operations: ['standings-types.index'],
      read: () => data.standingsTypes(WHOLE_CATALOGUE).data.toString(),
    },
  ];
}

/** Returns the documents that a contract may read. */
export function readableDocuments(
  documents: readonly ContractDocument[],
  access: Access,
): ContractDocument[] {
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
