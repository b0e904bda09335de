import { SeasonTables } from '#domain/standings/season-tables.ts';
import { rulesOf } from '#domain/standings/testing/results.ts';
import { MATCHES, resultOf } from './standings-season.ts';
for (let r = 0; r < 4; r++) {
  const t = process.cpuUsage();
  let n = 0;
  for (let s = 0; s < 2; s++) {
    const season = new SeasonTables(47, 47_000 + s, rulesOf());
    for (let m = 0; m < MATCHES; m++) season.apply(resultOf(s, m, 'to_come'));
    season.derive();
    for (let m = 0; m < MATCHES; m++) for (const state of ['playing', 'over'] as const) { season.apply(resultOf(s, m, state)); for (const d of season.derive()) n++; }
  }
  const c = process.cpuUsage(t);
  console.log(((c.user + c.system) / 1e3).toFixed(0), 'ms', n);
}
