import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderSettingsPage, settingsPage } from './settings-page.ts';

const settings = (port: string) => [
  { name: 'KAFKA_BROKERS', about: 'Brokers, host:port.', secret: false, fallback: null },
  { name: 'OTHER_PORT', about: 'A port | another.', secret: false, fallback: port },
];

test('lists shared settings once, and the others by service', () => {
  const page = renderSettingsPage([
    { service: 'a', settings: settings('8080') },
    { service: 'b', settings: settings('8081') },
  ]);
  expect(page).toContain('| `KAFKA_BROKERS` | required | Brokers, host:port. | all |\n');
  expect(page).toContain('| `OTHER_PORT` | `8081` | A port \\| another. | b |\n');
  expect(page.match(/KAFKA_BROKERS/g)).toHaveLength(1);
});

test('docs/reference/settings.md lists the settings of the services (else: npm run generate)', async () => {
  const page = readFileSync(new URL('../docs/reference/settings.md', import.meta.url), 'utf8');
  expect(page).toBe(await settingsPage());
});
