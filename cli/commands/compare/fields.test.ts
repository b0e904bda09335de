import { expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { LEVELS } from './command.ts';
import { COMPARED, ignoredFields } from './run.ts';

test.each(LEVELS)('fields that level %s ignores exist', (level) => {
  for (const topic of COMPARED) {
    const sample = JSON.parse(JSON.stringify(sampleOf(topic)));
    for (const path of ignoredFields(topic, level)) {
      const value = path.split('.').reduce((at, name) => at?.[name], sample);
      expect([topic, path, value === undefined]).toEqual([topic, path, false]);
    }
  }
});
