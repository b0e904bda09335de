/**
 * Writes `generated/types.ts` from `schemas/`: the TypeScript types of everything that is on a topic.
 * Run by `npm run generate`; a unit test fails where the written file is not what the schemas say.
 */
import { writeFileSync } from 'node:fs';
import { renderTypes } from './render-types.ts';
import { loadSchemas } from './schemas.ts';

writeFileSync(new URL('./generated/types.ts', import.meta.url), renderTypes(loadSchemas()));
