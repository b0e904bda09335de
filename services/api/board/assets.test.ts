import { expect, test } from 'vitest';
import { loadAssets } from './assets.ts';

const { files, path, scripts } = loadAssets();

test('serves the file of every import, without types, and no module of the server', () => {
  for (const [name, bytes] of files) {
    if (!/\.[jt]s$/.test(name)) continue;
    for (const [, specifier = ''] of String(bytes).matchAll(/^(?:import|export) .*\bfrom\s*'([^']+)'/gm))
      expect(files.has(new URL(specifier, `http://board/${name}`).pathname.slice(1)), specifier).toBe(true);
    expect(String(bytes)).not.toMatch(/^import type|: string\b.*\{$/m);
  }
  expect([...files.keys()].filter((name) => /test|routes|hub/.test(name))).toEqual([]);
});

test('keeps the path of an asset while the content is the same', () => {
  expect(loadAssets().path('board.css')).toBe(path('board.css'));
  expect(files.has(path('board.css').slice('/board/assets/'.length))).toBe(true);
});

test('lists the modules that a page loads, without that of the worker', () => {
  expect(scripts).toEqual(expect.arrayContaining(['page.ts', 'idiomorph.js']));
  expect(scripts).not.toContain('metronome.ts');
});

test('suppresses Node’s warning about stripping types', () => {
  const warnings: unknown[] = [];
  const note = (warning: unknown): void => void warnings.push(warning);
  process.on('warning', note);
  loadAssets();
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
