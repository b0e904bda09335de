/**
 * Writes every generated file: the types of topics, and the generated pages of docs/reference. Run by `npm run
 * generate`; unit tests fail when a file is stale.
 */
import { writeFileSync } from 'node:fs';
import { loadSchemas } from '#topics/codec.ts';
import { renderTypes } from './topic-types.ts';

const REFERENCE = new URL('../docs/reference/', import.meta.url);
const writePage = (name: string, page: string): void => writeFileSync(new URL(name, REFERENCE), page);

const schemas = loadSchemas();
writeFileSync(new URL('../libs/records/types.ts', import.meta.url), renderTypes(schemas));
// What the pages are made of reads the types.
const { renderTopicsDoc } = await import('./topics-page.ts');
const { renderErrorsDoc } = await import('./errors-page.ts');
const { referenceMarkdown } = await import('./rest-page.ts');
writePage('topics.md', renderTopicsDoc(schemas));
writePage('errors.md', renderErrorsDoc());
writePage('rest.md', referenceMarkdown());
