/**
 * Writes the files generated from `schemas/` and the table of topics: `generated/types.ts`, and the pages of topics and of access control lists. Run by
 * `npm run generate`; a unit test fails where a file is stale. With `--baseline` (at a release) it also writes
 * `schemas/baseline/`: later schemas must be able to read those.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { renderAclsDoc } from './render-acls.ts';
import { renderTopicsDoc } from './render-doc.ts';
import { renderTypes } from './render-types.ts';
import { BASELINE, loadSchemas } from './schemas.ts';

const schemas = loadSchemas();
writeFileSync(new URL('./generated/types.ts', import.meta.url), renderTypes(schemas));
writeFileSync(new URL('../../docs/reference/topics.md', import.meta.url), renderTopicsDoc(schemas));
writeFileSync(new URL('../../docs/reference/acls.md', import.meta.url), renderAclsDoc());
if (process.argv.includes('--baseline')) {
  rmSync(BASELINE, { recursive: true, force: true });
  mkdirSync(BASELINE);
  for (const [topic, schema] of schemas.topics) {
    writeFileSync(new URL(`${topic}.avsc`, BASELINE), `${JSON.stringify(schema, null, 2)}\n`);
  }
}
