import { expect, test } from 'vitest';
import { requireTransition, TASK_STATES, TRANSITIONS } from './task-state.ts';

test('takes the transitions of the table, and no other', () => {
  for (const from of TASK_STATES) {
    for (const to of TASK_STATES) {
      const go = () => requireTransition(from, to);
      if (TRANSITIONS[from].includes(to)) expect(go).not.toThrow();
      else expect(go).toThrow(`from ${from} to ${to}`);
    }
  }
});

test('every state but the last leads to closed, and closed leads nowhere', () => {
  expect(TRANSITIONS.closed).toEqual([]);
  for (const state of TASK_STATES) if (state !== 'closed') expect(TRANSITIONS[state]).toContain('closed');
});
