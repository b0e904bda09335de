import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingsPage } from './settings-page.ts';

test('docs/reference/settings.md lists the settings of the services (else: npm run generate)', async () => {
  const page = readFileSync(new URL('../docs/reference/settings.md', import.meta.url), 'utf8');
  expect(page).toBe(await settingsPage());
});
