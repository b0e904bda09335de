/** Writes docs/reference/errors.md. Run by `npm run generate`; a unit test fails where the page is stale. */
import { writeFileSync } from 'node:fs';
import { renderErrorsDoc } from './errors-doc.ts';

writeFileSync(new URL('../../docs/reference/errors.md', import.meta.url), renderErrorsDoc());
