/** Reads the rows of the spec, when it is available beside the project. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SPEC = process.env.SERVICE_SPEC || join(import.meta.dirname, '../../../../shared/service-spec.md');

/** Whether the spec is available. */
export const haveSpec = existsSync(SPEC);

/**
 * Returns every table row and numbered rule by section, each after the section's name. The non-empty cells of a row are
 * joined by colons.
 */
export function requirementsOfSpec(): string[] {
  const sections = new Map<string, string[]>();
  let section = '';
  let inTable = false;
  for (const line of readFileSync(SPEC, 'utf8').split('\n')) {
    if (line.startsWith('#')) section = plain(line.replace(/^#+/, ''));
    const isRule = /^\d+\. /.test(line);
    if (/^\|(-+\|)+$/.test(line)) inTable = true;
    else if (!line.startsWith('|')) inTable = false;
    else if (inTable) add(rowOf(line));
    if (isRule) add(plain(line));
  }
  return [...sections].flatMap(([name, rows]) => rows.map((row) => `${name}: ${row}`));

  function add(row: string): void {
    sections.set(section, [...(sections.get(section) ?? []), row]);
  }
}

/** Returns the whole specification without markup. */
export function textOfSpec(): string {
  return plain(readFileSync(SPEC, 'utf8'));
}

/** Sections before the first one with requirements. */
const OVERVIEW = ['Sports Data Service Specification', 'What the service does'];

/** Sentences without a requirement: headings of lists, and repetitions of tables. */
const WITHOUT_REQUIREMENT = [
  'Known ones:',
  'Participant row:',
  'Result ids:',
  'Soccer incident types known:',
  'Rules:',
  'Responses:',
  'period-relative sports use clock_time.',
  'the neutral meaning is upstream unavailable.',
  'The service pushes events by webhook and offers a pull feed.',
  'The push transport for /v2/feed/{id} is not part of the REST surface;',
  'faster polling than the slowest latency band (7-15s) gives nothing.',
];

/**
 * Returns every sentence outside of tables and rules, up to a full stop or a semicolon, except those that call
 * something not shown.
 */
export function sentencesOfSpec(): string[] {
  let section = '';
  const sentences: string[] = [];
  for (const line of readFileSync(SPEC, 'utf8').split('\n')) {
    if (line.startsWith('#')) section = plain(line.replace(/^#+/, ''));
    else if (!OVERVIEW.includes(section) && !/^(\||\d+\. |$)/.test(line)) {
      sentences.push(...plain(line.replace(/^\s*- /, '')).split(/(?<=[.;])\s+/));
    }
  }
  return sentences.filter((one) => !one.includes('not shown') && !WITHOUT_REQUIREMENT.includes(one));
}

function rowOf(line: string): string {
  const cells = line.split('|').map(plain);
  return cells.filter((cell) => cell !== '').join(': ');
}

/** Returns text without markup. */
function plain(text: string): string {
  return text.replaceAll('`', '').replaceAll("'", '’').trim();
}
