/** Writes docs/reference/settings.md: part of `npm run generate`; a unit test fails where the page is stale. */
import { writeFileSync } from 'node:fs';
import { settingsPage } from './settings-page.ts';

writeFileSync(new URL('../docs/reference/settings.md', import.meta.url), await settingsPage());
