/** The report of a year as one page: checks, growth and plots as SVG, without scripts. */
import { type GrowthFinding, keptFiles, type LagSample, type Sample } from './measure.ts';

export type Check = { readonly at: number; readonly what: string; readonly problem: string | null };
/** Something that happened in the year. */
export type Happening = { readonly at: number; readonly what: string };

/** A kind of warning or error in the logs: how often, and from when to when, Unix milliseconds. Numbers and topics are left out of it. */
export type LoggedWarning = {
  readonly what: string;
  readonly count: number;
  readonly first: number;
  readonly last: number;
};

export type YearRecord = {
  readonly commit: string;
  readonly realSeconds: number;
  readonly matches: number;
  readonly messages: number;
  readonly happenings: readonly Happening[];
  readonly checks: readonly Check[];
  readonly growth: readonly GrowthFinding[];
  readonly warnings: readonly LoggedWarning[];
  readonly samples: readonly Sample[];
  readonly lags: readonly LagSample[];
};

type Line = { readonly name: string; readonly points: readonly (readonly [at: number, value: number])[] };

/** Colours of lines, for light and for dark paper. */
const COLOURS: readonly (readonly [light: string, dark: string])[] = [
  ['#1b6ca8', '#6fb7ee'],
  ['#c8553d', '#ff9478'],
  ['#2e7d32', '#7bd17f'],
  ['#7b4ea3', '#c9a0f0'],
  ['#9a7100', '#e6bd4b'],
  ['#00838f', '#5fd3df'],
  ['#ad1457', '#ff7fb0'],
  ['#6d4c41', '#d0ac9f'],
  ['#455a64', '#b4c6ce'],
];
const variables = (theme: 0 | 1): string =>
  COLOURS.map((colour, n) => `--c${n}: ${colour[theme]}`).join('; ');
const STYLE = `
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --rule: #ddd; --mark: #777; --bad: #b00020; --good: #1b5e20; ${variables(0)} }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e4e4; --paper: #16181b; --rule: #3a3f45; --mark: #9aa3ab; --bad: #ff8a94; --good: #8fd694; ${variables(1)} } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 940px; margin: 2rem auto; padding: 0 1rem; color: var(--ink); background: var(--paper) }
table { border-collapse: collapse; width: 100% }
td, th { border-bottom: 1px solid var(--rule); padding: .2rem .5rem; text-align: left; vertical-align: top; overflow-wrap: break-word }
td:first-child, .number { white-space: nowrap }
.bad { color: var(--bad); font-weight: 600 } .good { color: var(--good) } .number { text-align: right; font-variant-numeric: tabular-nums }
figure { margin: 2rem 0 } figcaption span { white-space: nowrap; margin-right: .8em }
svg { width: 100%; height: auto } svg text { fill: var(--ink); font-size: 12px } svg .grid { stroke: var(--rule) } svg .mark { stroke: var(--mark) }
svg polyline { fill: none; stroke-width: 1.7 }
`;
const WIDTH = 900;
const HEIGHT = 260;
const LEFT = 60;
/** Width of the name of a month. */
const MONTH_WIDTH = 36;
const MIB = 1024 * 1024;

/** Renders the page. */
export function renderYear(record: YearRecord): string {
  const { samples, lags, checks, growth, happenings } = record;
  const services = [...new Set(samples.flatMap((sample) => Object.keys(sample.services)))];
  const bySample = (name: string, value: (sample: Sample) => number | undefined): Line => ({
    name,
    points: samples.flatMap((sample) => {
      const known = value(sample);
      return known === undefined ? [] : [[sample.at, known] as const];
    }),
  });
  const byTopic = (
    values: (sample: Sample) => Readonly<Record<string, number>>,
    unit: (n: number) => number | undefined,
  ) => {
    const last = samples.at(-1);
    return Object.entries(last === undefined ? {} : values(last))
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, COLOURS.length - 1)
      .map(([topic]) => bySample(topic, (sample) => unit(values(sample)[topic] ?? 0)));
  };
  const plots = [
    plot(
      'Memory of each service, MiB',
      services.map((name) => bySample(name, (sample) => mib(sample.services[name]?.rssBytes))),
      happenings,
    ),
    plot(
      'Heap in use of each service, MiB',
      services.map((name) => bySample(name, (sample) => mib(sample.services[name]?.heapBytes))),
      happenings,
    ),
    plot(
      'Metric series of each service',
      services.map((name) => bySample(name, (sample) => sample.services[name]?.series)),
      happenings,
    ),
    plot(
      'Files',
      [
        bySample('all', ({ files }) => files),
        bySample('segments of topics that keep over a year', keptFiles),
      ],
      happenings,
    ),
    plot(
      'Files of the topics with the most',
      byTopic(
        ({ topicFiles }) => topicFiles,
        (files) => files,
      ),
      happenings,
    ),
    plot(
      'Bytes on disk, MiB',
      [
        bySample('broker', (sample) => mib(sample.brokerBytes)),
        bySample('views', (sample) => mib(sample.viewBytes)),
        bySample('logs', (sample) => mib(sample.logBytes)),
      ],
      happenings,
    ),
    plot(
      'Largest topics, MiB',
      byTopic(({ topicBytes }) => topicBytes, mib),
      happenings,
    ),
    plot(
      'Lag: seconds from the last delivery of a match day until all of it is served and sent',
      [{ name: 'lag', points: lags.map(({ at, settledMs }) => [at, settledMs / 1_000] as const) }],
      happenings,
    ),
  ];
  const failed = checks.filter(({ problem }) => problem !== null);
  const grown = growth.filter(({ isFlat }) => !isFlat);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A year of operation</title>
<style>${STYLE}</style>
<h1>A year of operation</h1>
<p>${dayOf(samples[0]?.at)} to ${dayOf(samples.at(-1)?.at)}, played in ${Math.round(record.realSeconds / 60)} minutes against the real platform at commit ${text(record.commit)}: ${record.matches} matches, ${record.messages} messages.
<span class="${failed.length + grown.length === 0 ? 'good' : 'bad'}">${checks.length - failed.length} of ${checks.length} checks passed, ${growth.length - grown.length} of ${growth.length} measures are flat.</span></p>
${failed.length === 0 ? '' : `<h2>What failed</h2>\n${failureTable(failed)}`}
${plots.join('\n')}
<p>Marks above the lines: what happened, listed below. Sizes are what the disk holds.</p>
<h2>Growth</h2>
<table><tr><th>measure<th class="number">second quarter<th class="number">last quarter<th class="number">limit<th></tr>
${growth.map(({ what, second, last, limit, isFlat }) => `<tr><td>${text(what)}<td class="number">${shown(second)}<td class="number">${shown(last)}<td class="number">${shown(limit)}<td class="${isFlat ? 'good">flat' : 'bad">grows'}</tr>`).join('\n')}
</table>
<h2>Checks</h2>
${kindTable(checks)}
<h2>What happened</h2>
<table>${happenings.map(({ at, what }) => `<tr><td>${dayOf(at)}<td>${text(what)}</tr>`).join('\n')}</table>
<h2>Warnings and errors in the logs</h2>
<table>${record.warnings
    .map(
      ({ what, count, first, last }) =>
        `<tr><td class="number">${count}<td>${dayOf(first)} to ${dayOf(last)}<td>${text(what)}</tr>`,
    )
    .join('\n')}</table>
</html>
`;
}

/** Renders each kind of check with how many passed. */
function kindTable(checks: readonly Check[]): string {
  const rows = [...Map.groupBy(checks, ({ what }) => what)].map(([what, of]) => {
    const passed = of.filter(({ problem }) => problem === null).length;
    return `<tr><td class="number ${passed === of.length ? 'good' : 'bad'}">${passed} of ${of.length}<td>${text(what)}</tr>`;
  });
  return `<table>${rows.join('\n')}</table>`;
}

function failureTable(checks: readonly Check[]): string {
  const rows = checks.map(
    ({ at, what, problem }) =>
      `<tr><td>${dayOf(at)}<td>${text(what)}<br><span class="bad">${text(problem ?? '')}</span></tr>`,
  );
  return `<table>${rows.join('\n')}</table>`;
}

/** Renders lines over the year, with a mark for each happening. */
function plot(title: string, lines: readonly Line[], happenings: readonly Happening[]): string {
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0)
    return `<figure><figcaption><strong>${text(title)}</strong>: not measured</figcaption></figure>`;
  const from = Math.min(...points.map(([at]) => at));
  const to = Math.max(...points.map(([at]) => at));
  const top = Math.max(1e-9, ...points.map(([, value]) => value)) * 1.05;
  const x = (at: number): string =>
    (LEFT + ((at - from) / Math.max(1, to - from)) * (WIDTH - LEFT)).toFixed(1);
  const y = (value: number): string => (HEIGHT - 20 - (value / top) * (HEIGHT - 40)).toFixed(1);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = y(top * share);
    return `<line x1="${LEFT}" x2="${WIDTH}" y1="${at}" y2="${at}" class="grid"/><text x="${LEFT - 6}" y="${Number(at) + 4}" text-anchor="end">${shown(top * share)}</text>`;
  });
  const months = monthsBetween(from, to)
    .filter((at) => Number(x(at)) < WIDTH - MONTH_WIDTH)
    .map((at) => `<text x="${x(at)}" y="${HEIGHT - 4}">${new Date(at).toISOString().slice(2, 7)}</text>`);
  const marks = happenings
    .filter(({ at }) => at >= from && at <= to)
    .map(
      ({ at, what }) =>
        `<line x1="${x(at)}" x2="${x(at)}" y1="20" y2="26" class="mark"><title>${dayOf(at)} ${text(what)}</title></line>`,
    );
  const drawn = lines.map(({ name, points: own }, n) => {
    return `<polyline style="stroke: var(--c${n % COLOURS.length})" points="${own.map(([at, value]) => `${x(at)},${y(value)}`).join(' ')}"><title>${text(name)}</title></polyline>`;
  });
  const key = lines.map(
    ({ name }, n) => `<span><b style="color: var(--c${n % COLOURS.length})">■</b> ${text(name)}</span>`,
  );
  return `<figure><figcaption><strong>${text(title)}</strong><br>${key.join(' ')}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${text(title)}">${[...grid, ...months, ...marks, ...drawn].join('')}</svg></figure>`;
}

/** The first moments of the months within a time, Unix milliseconds. */
function monthsBetween(from: number, to: number): number[] {
  const months: number[] = [];
  const start = new Date(from);
  for (let n = 0; ; n++) {
    const at = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + n, 1);
    if (at > to) return months;
    if (at >= from) months.push(at);
  }
}

function mib(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : bytes / MIB;
}

function shown(value: number): string {
  if (value >= 10 * MIB) return `${Math.round(value / MIB)} Mi`;
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 0 : 1);
}

function dayOf(at: number | undefined): string {
  return at === undefined ? '' : new Date(at).toISOString().slice(0, 10);
}

function text(value: string): string {
  return value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
