import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '../../../cli/services.ts';

const ROOT = join(import.meta.dirname, '../../..');
const GUIDES = 'docs/guides';
const PAGES = [
  'README.md',
  'docs/reference/topics.md',
  ...readdirSync(join(ROOT, GUIDES))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(GUIDES, file)),
];
const BLOCK = /^ *```sh\n([\s\S]*?)^ *```$/gm;
const INDENTED = /^ {4}npx touchline .*$/gm;
const ENDLESS = /^(?:tail (?!.*(?:--exit-at-end|--limit))|alerts )/;

function isEndless(command: string): boolean {
  return (
    ENDLESS.test(command) ||
    (serviceNames().includes(command.split(' ')[0] ?? '') && !command.includes('--help'))
  );
}

/** A `touchline` command in a page, without its comment. */
export type GuideCommand = { readonly page: string; readonly command: string; readonly goesOn: boolean };

/** Returns the commands of all pages in order; runbooks have separate tests. */
export function guideCommands(): GuideCommand[] {
  return PAGES.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const lines = [
      ...text.matchAll(BLOCK).flatMap(([, block = '']) => block.split('\n')),
      ...(text.match(INDENTED) ?? []),
    ];
    return lines
      .map((line) => /^ *npx touchline (.*?)(?: +# .*)?$/.exec(line)?.[1] ?? '')
      .filter((command) => command !== '')
      .map((command) => ({ page, command, goesOn: isEndless(command) }));
  });
}
