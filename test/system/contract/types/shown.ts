/**
 * What the provider's published answers show of each field: `shown.json`, made of them by
 * `node test/system/contract/types/shown.ts FOLDER`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Kind, type Seen, seeAnswer, seeData } from './walk.ts';

/** Where the answers are, beside the project. */
export const PUBLISHED = join(import.meta.dirname, '../../../../../shared/provider');

const FILE = join(import.meta.dirname, 'shown.json');

/** Kinds by field of a record. */
export type Kinds = Readonly<Record<string, readonly Kind[]>>;

/** Answers of resources that are served. */
const SERVED =
  /^(ApiService|Areas|Competitions|Events|Feeds|Groups|Incidents|Languages|Livescore|Seasons|Sports|Stages|Standings|Statuses)__/;

/** What was recorded. */
export function shownKinds(): Kinds {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** What the answers of a folder show. */
export function kindsOf(folder: string): Kinds {
  const seen: Seen = new Map();
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    if (SERVED.test(file)) {
      const { api } = read(file);
      seeAnswer(seen, api.method.name, api);
    }
  }
  // A pushed message, and the matches of two soccer teams against each other.
  seeData(seen, 'feed.index', [read('rabbit__message.json')]);
  const { h2h_events } = read('Participants__participants_51447_compare.json').api.data;
  seeData(seen, 'events.index', { competitions: h2h_events.competitions });
  const sorted = [...seen].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([field, kinds]) => [field, [...kinds.keys()].sort()]));
}

const [, script, folder] = process.argv;
if (script === import.meta.filename && folder !== undefined && existsSync(folder)) {
  writeFileSync(FILE, `${JSON.stringify(kindsOf(folder), null, 2)}\n`);
}
