/** Reads docker-compose.yml as Compose does, for tests. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export type ComposeService = {
  readonly profiles?: readonly string[];
  readonly volumes?: readonly string[];
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly [setting: string]: unknown;
};

export function composeServices(
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, ComposeService>> {
  const file = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
  let text = JSON.stringify(parse(file, { merge: true }));
  // Replaces from the inside out: a default may contain variables too.
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replaceAll(/\$\{(\w+)(?::?([-+?])([^${}]*))?\}/g, (_, name, operator, other = '') => {
      const value = variables[name] ?? '';
      if (operator === '+') return value === '' ? '' : other;
      return value === '' && operator === '-' ? other : value;
    });
  }
  return JSON.parse(text, (key, value) =>
    // A setting without a value is passed where it is set.
    key === 'environment'
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, given]) => {
            const passed = given ?? variables[name];
            return passed === undefined ? [] : [[name, passed]];
          }),
        )
      : value,
  ).services;
}
