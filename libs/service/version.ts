import { readFileSync } from 'node:fs';

/** The version of Touchline, `major.minor.patch`, from package.json. */
export function serviceVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version;
}
