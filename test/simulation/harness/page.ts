import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes the history of a seed as a page for a browser, and returns its path. */
export function writePage(seed: number, violation: string | null, lines: readonly string[]): string {
  const folder = join(tmpdir(), 'touchline-simulation');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `seed-${seed}.html`);
  writeFileSync(path, pageOf(seed, violation, lines));
  return path;
}

const COLUMNS = { time: 10, who: 10 } as const;

function pageOf(seed: number, violation: string | null, lines: readonly string[]): string {
  const rows = lines.map((line) => {
    const time = line.slice(0, COLUMNS.time);
    const who = line.slice(COLUMNS.time + 2, COLUMNS.time + 2 + COLUMNS.who).trim();
    const what = line.slice(COLUMNS.time + COLUMNS.who + 4);
    return `<tr class="${kindOf(who)}"><td>${time}<td>${escaped(who)}<td>${escaped(what)}`;
  });
  return `<!doctype html><meta charset="utf-8"><title>Simulation, seed ${seed}</title>
<style>
  body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; }
  input { font: inherit; width: 30rem; max-width: 100%; padding: .3rem; }
  table { border-collapse: collapse; margin-top: 1rem; font: 12px/1.5 ui-monospace, monospace; }
  td { padding: 0 .8rem 0 0; vertical-align: top; white-space: pre-wrap; overflow-wrap: anywhere; }
  td:first-child { text-align: right; color: #666; white-space: pre; }
  .p1 { background: #eef5ff; } .p2 { background: #f2faec; } .p3 { background: #fff6e8; }
  .world, .broker { font-weight: 600; } .cluster { color: #555; } .CHECK { background: #ffd9d9; font-weight: 600; }
</style>
<h1>Seed ${seed}</h1>
<p><strong>${escaped(violation ?? 'every invariant held')}</strong></p>
<p>Again: <code>npm run test:simulation -- --seed ${seed}</code>. Milliseconds of virtual time, who, what. How to read it: docs/guides/simulate.md.</p>
<label>Show only lines with <input placeholder="p2, input-1, EndTxn …" oninput="
  const words = this.value.split(/[, ]+/).filter(Boolean);
  for (const row of document.querySelectorAll('tr')) row.hidden = words.length > 0 && !words.some((word) => row.textContent.includes(word));
"></label>
<table>${rows.join('\n')}</table>
`;
}

/** Returns the CSS class of a row: each process has its colour. */
function kindOf(who: string): string {
  return who.split(/[. ]/)[0] ?? '';
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
