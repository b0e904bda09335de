import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseHelp, renderSettings, settingsPage } from './settings-page.ts';

const help = (port: string) => `Usage: touchline x

Does one thing.

Settings, from the environment (name, default, meaning):
  KAFKA_BROKERS  required  Brokers, host:port.
  OTHER_PORT     ${port}      A port | another.
`;

test('lists what services share once, and the rest for each', () => {
  const page = renderSettings([parseHelp('a', help('8080')), parseHelp('b', help('8081'))]);
  expect(page).toContain('| `KAFKA_BROKERS` | required | Brokers, host:port. | all |\n');
  expect(page).toContain('## b\n\nDoes one thing.\n\n| setting | default | meaning |\n');
  expect(page).toContain('| `OTHER_PORT` | `8081` | A port \\| another. |\n');
  expect(page.match(/KAFKA_BROKERS/g)).toHaveLength(1);
});

test('docs/reference/settings.md is what the services answer to --help (else: npm run generate)', async () => {
  const page = readFileSync(new URL('../docs/reference/settings.md', import.meta.url), 'utf8');
  expect(page).toBe(await settingsPage());
});
