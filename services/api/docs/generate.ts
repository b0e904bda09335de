/** Writes docs/reference/rest.md: part of `npm run generate`; a unit test fails where it is stale. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { openApi } from '#contract/rest/openapi.ts';
import { readExample } from './examples.ts';
import { referenceMarkdown } from './markdown.ts';
import { referenceOf } from './reference.ts';

const page = new URL('../../../docs/reference/rest.md', import.meta.url);
mkdirSync(new URL('./', page), { recursive: true });
writeFileSync(page, referenceMarkdown(referenceOf(openApi({ version: '' }), readExample)));
