import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWN_RULES } from '#service/competition-rules.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** Creates a temporary folder with the repository's rules and these. */
export function rulesFolder(files: Readonly<Record<string, object>>): string {
  const folder = temporaryFolder();
  cpSync(OWN_RULES, folder, { recursive: true });
  for (const [file, rules] of Object.entries(files)) writeFileSync(join(folder, file), JSON.stringify(rules));
  return folder;
}
