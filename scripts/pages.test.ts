import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { anchorsOf, linksOf, pathsOf, recordsOf } from './pages.ts';

describe('the walk of a goal', () => {
  const page = readFileSync(new URL('../docs/reference/walk-of-a-goal.md', import.meta.url), 'utf8');
  const parts = page.split(/^##? /m).slice(1);

  test.each([
    ['The walk of a goal', 25],
    ['To REST', 10],
    ['To the board', 11],
    ['To a webhook', 10],
  ])('names at most so many files under %j: %i', (title, limit) => {
    const part = parts.find((one) => one.startsWith(`${title}\n`)) ?? '';
    const files = new Set(pathsOf(part, true).filter((path) => path.endsWith('.ts')));
    expect(files.size).toBeGreaterThan(0);
    expect(files.size).toBeLessThanOrEqual(limit);
  });

  test('has no other part', () => {
    expect(parts).toHaveLength(4);
  });
});

describe('linksOf', () => {
  test('finds links, links with an anchor, pictures and HTML', () => {
    const page =
      '[a](a.md) and [b](../b.md#part) ![c](c.png "title")\n<img src="d.png" width="1"> [e](#here)';
    expect(linksOf(page)).toEqual(['a.md', '../b.md#part', 'c.png', '#here', 'd.png']);
  });

  test('leaves out other hosts, addresses of a service, and code', () => {
    const page =
      '[x](https://example.org/a.md) [m](mailto:a@b) [s](/docs) `[c](c.md)`\n```\n[f](f.md)\n```\n';
    expect(linksOf(page)).toEqual([]);
  });
});

describe('anchorsOf', () => {
  test('makes anchors as GitHub does', () => {
    const page =
      '# Law 3: removal\n## `GET /v2/feed` & more\n## The *board*, [now](x.md)\n## Größe\n<a id="own"></a>';
    expect([...anchorsOf(page)].sort()).toEqual(
      ['get-v2feed--more', 'größe', 'law-3-removal', 'own', 'the-board-now'].sort(),
    );
  });

  test('numbers repeated headings, and ignores code', () => {
    expect([...anchorsOf('# A\n```sh\n# no heading\n```\n## A\n### A')]).toEqual(['a', 'a-1', 'a-2']);
  });
});

describe('pathsOf', () => {
  test('finds paths in backquotes of a page, without line numbers and patterns', () => {
    const page =
      '`libs/domain/goals.ts:12`, `test/board`, `libs/*.ts`, `data/<name>.json`, `other/thing.ts`, libs/x.ts';
    expect(pathsOf(page, true)).toEqual(['libs/domain/goals.ts', 'test/board']);
  });

  test('finds pages that a source file names', () => {
    const source =
      "// docs/laws.md, see docs/guides/operate.md.\nimport './docs/examples.ts'; read('../docs/no.md')";
    expect(pathsOf(source, false)).toEqual(['docs/laws.md', 'docs/guides/operate.md']);
  });
});

test('recordsOf finds decision records by number', () => {
  expect(recordsOf('decision 0053, docs/decisions/0007, decisions 0036 to 0045 and 0099')).toEqual([
    '0053',
    '0007',
    '0036',
  ]);
});
