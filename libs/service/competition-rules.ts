import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type CompetitionRules,
  RulesError,
  readRulesFile,
  rulesFor,
} from '#domain/standings/competition-rules.ts';

/** The rules of this program, which `RULES_DIR` replaces. */
export const OWN_RULES = fileURLToPath(new URL('../../data/rules/', import.meta.url));

/** The file for competitions that no other file names. */
const DEFAULT = 'default.json';

/** Returns the rules of a season. */
export type RulesOf = (competitionId: number, seasonId: number) => CompetitionRules;

/** Reads the rules files (`*.json`) of a folder. Throws `RulesError` for the first invalid file, no default.json, one scope twice. */
export function readRules(folder: string): RulesOf {
  const files = filesOf(folder).map((file) => {
    return { file, rules: readRulesFile(readFileSync(join(folder, file), 'utf8'), file) };
  });
  const fallback = files.find(({ file }) => file === DEFAULT)?.rules.withStages({});
  if (fallback === undefined) throw new RulesError(folder, [`there is no ${DEFAULT} in it`]);
  const fileOfScope = new Map<string, string>();
  for (const { file, rules } of files) {
    for (const { competition_id, season_id } of rules.scopes) {
      const season = season_id === null ? '' : `season ${season_id} of `;
      const scope = `${season}competition ${competition_id}`;
      const other = fileOfScope.get(scope);
      if (other !== undefined) throw new RulesError(file, [`${other} is for ${scope} too`]);
      fileOfScope.set(scope, file);
    }
  }
  const all = files.map(({ rules }) => rules);
  return (competitionId, seasonId) => rulesFor(all, competitionId, seasonId) ?? fallback;
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .sort();
  } catch (error) {
    throw new RulesError(folder, ['it cannot be read'], error);
  }
}
