/**
 * `npm run links`: names every relative link, anchor, file path and decision record in a page or a source file that
 * does not exist. Works offline: it does not request addresses of other hosts.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { anchorsOf, linksOf, pathsOf, recordsOf } from './pages.ts';

const ROOT = join(import.meta.dirname, '..');
const INDEX = 'docs/README.md';
/** The template of docs/reference/topics.md. Its links are checked in that page. */
const TEMPLATE = 'scripts/topics-page.md';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)));
const records = new Set(
  files.filter((file) => dirname(file) === 'docs/decisions').map((file) => basename(file).slice(0, 4)),
);
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const anchors = new Map<string, ReadonlySet<string>>();
function hasAnchor(page: string, anchor: string): boolean {
  let known = anchors.get(page);
  if (known === undefined) {
    known = anchorsOf(read(page));
    anchors.set(page, known);
  }
  return known.has(anchor);
}

function brokenLinks(page: string): string[] {
  return linksOf(read(page)).filter((link) => {
    const [path = '', anchor] = link.split('#', 2);
    const target = path === '' ? page : join(dirname(page), decodeURIComponent(path));
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !hasAnchor(target, anchor);
  });
}

function missingMentions(file: string): string[] {
  const text = read(file);
  return [
    ...pathsOf(text, file.endsWith('.md')).filter((path) => !existsSync(join(ROOT, path))),
    ...recordsOf(text)
      .filter((number) => !records.has(number))
      .map((number) => `decision ${number}`),
  ];
}

/** Returns the pages of docs/ that no other page links to. */
function unlinkedPages(): string[] {
  const linked = new Set(
    pages.flatMap((page) =>
      linksOf(read(page)).map((link) => join(dirname(page), link.split('#', 1)[0] ?? '')),
    ),
  );
  return pages.filter((page) => page.startsWith('docs/') && page !== INDEX && !linked.has(page));
}

const pages = files.filter((file) => file.endsWith('.md') && file !== TEMPLATE);
const sources = files.filter((file) => /\.(ts|js|avsc|java|css|yml)$/.test(file) || file === TEMPLATE);
const problems = [
  ...pages.flatMap((page) =>
    [...brokenLinks(page), ...missingMentions(page)].map((what) => `${page}: ${what}`),
  ),
  ...sources.flatMap((file) => missingMentions(file).map((what) => `${file}: ${what}`)),
  ...unlinkedPages().map((page) => `${page}: no page links to it; add it to ${INDEX}`),
];
for (const problem of problems) console.error(problem);
console.log(`${pages.length} pages, ${sources.length} source files: ${problems.length} broken`);
if (problems.length > 0) process.exitCode = 1;
