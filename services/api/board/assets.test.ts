import { expect, test } from 'vitest';
import { loadAssets } from './assets.ts';

const { files, path, modulesOf } = loadAssets();

test('serves the scripts with all their imports, and no other module', () => {
  const served = [...files.keys()].map((name) => name.replace(/^[^/]+\//, '')).sort();
  expect(served.filter((name) => name.startsWith('libs/'))).toEqual([
    'libs/domain/clock-rule.js',
    'libs/domain/clock.js',
    'libs/domain/guard-words.js',
    'libs/domain/name-search.js',
    'libs/domain/result.js',
    'libs/domain/values.js',
    'libs/soccer/soccer.js',
    'libs/story/feed-words.js',
    'libs/story/match.js',
    'libs/story/minute.js',
    'libs/story/words.js',
    'libs/tradability/trading.js',
  ]);
  expect(served.filter((name) => /views|\/(routes|hub|main)\.js/.test(name))).toEqual([]);
});

test('serves the file of every import', () => {
  for (const [name, { type, body }] of files) {
    if (!type.startsWith('text/javascript')) continue;
    for (const [, specifier = ''] of String(body).matchAll(/\bfrom\s*'([^']+)'/g)) {
      const target = new URL(specifier, `http://board/${name}`).pathname.slice(1);
      expect(files.has(target), `${name} imports ${specifier}`).toBe(true);
    }
    expect(String(body)).not.toMatch(/import type|: string\b/);
  }
});

test('keeps the path of an asset while the content is the same', () => {
  expect(loadAssets().path('board.css')).toBe(path('board.css'));
  expect(files.has(path('board.css').slice('/board/assets/'.length))).toBe(true);
});

test('lists all modules of a script, so that a page can preload them', () => {
  const modules = modulesOf('board/browser/page.js');
  expect(modules).toContain(path('board/browser/page.js'));
  expect(modules.some((module) => module.endsWith('libs/domain/clock.js'))).toBe(true);
  expect(modules.some((module) => module.endsWith('browser/board.js'))).toBe(false);
});

test('suppresses Node’s warning about stripping types', () => {
  const warnings: unknown[] = [];
  const note = (warning: unknown): void => void warnings.push(warning);
  process.on('warning', note);
  loadAssets();
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
