import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANSWERS } from './records.ts';
import { event } from './testing/world.ts';
import { type NodeLookup, renderChain, renderStages, renderTree, withList } from './tree.ts';

const known: NodeLookup = (level, id) => JSON.stringify({ id, name: `${level} ${id}` });
const unknown: NodeLookup = () => null;

type TreeEvent = Parameters<typeof renderChain>[0];

function treeEvent(id: number, ids: Partial<TreeEvent> = {}): TreeEvent {
  const of = { competition_id: 1, season_id: 2, stage_id: 3, group_id: null };
  return { ...of, text: JSON.stringify(event(id)), ...ids };
}

type Tree = { seasons: { stages: { groups: { id: unknown; events: { id: number }[] }[] }[] }[] }[];

const idsIn = (tree: Tree): number[] =>
  tree.flatMap(({ seasons }) =>
    seasons.flatMap(({ stages }) =>
      stages.flatMap(({ groups }) => groups.flatMap(({ events }) => events.map(({ id }) => id))),
    ),
  );

const id = fc.option(fc.integer({ min: 1, max: 3 }));
const events = fc
  .array(fc.record({ competition_id: id, season_id: id, stage_id: id, group_id: id }), { maxLength: 40 })
  .map((ids) => ids.map((one, index) => treeEvent(index + 1, one)));

describe('a tree of events', () => {
  test('nests each event below its nodes, with their names', () => {
    const groups = [
      { id: '', name: '', ut: '', events: [event(1)] },
      { id: 4, name: 'group 4', events: [event(2)] },
    ];
    const seasons = [{ id: 2, name: 'season 2', stages: [{ id: 3, name: 'stage 3', groups }] }];
    expect(JSON.parse(renderTree([treeEvent(1), treeEvent(2, { group_id: 4 })], known))).toEqual([
      { id: 1, name: 'competition 1', seasons },
    ]);
  });

  test('has each event once, and no id twice in a row, and matches its definition', () => {
    fc.assert(
      fc.property(events, fc.constantFrom(known, unknown), (list, lookup) => {
        const tree = JSON.parse(renderTree(list, lookup)) as Tree;
        expect(idsIn(tree).toSorted((a, b) => a - b)).toEqual(list.map((_, index) => index + 1));
        const siblings = tree.flatMap(({ seasons }) =>
          seasons.flatMap(({ stages }) => stages.map(({ groups }) => groups.map(({ id }) => id))),
        );
        for (const ids of siblings) expect(new Set(ids).size).toBe(ids.length);
        expect(ANSWERS.eventTree.array().safeParse(tree).error).toBeUndefined();
      }),
    );
  });

  test('writes an unknown id with its id only, and a missing one with empty fields', () => {
    const [competition] = JSON.parse(renderTree([treeEvent(1, { season_id: null })], unknown));
    expect(competition).toMatchObject({ id: 1, name: '', seasons: [{ id: 0, name: '' }] });
    expect(competition.seasons[0].stages[0].groups[0]).toMatchObject({ id: '', name: '', ut: '' });
  });

  test('copies the text of an event and of a id', () => {
    const text = '{"id": 1 ,"big":12345678901234567890,"nested":{"}":"}"}}';
    const lookup: NodeLookup = (_level, id) => `{ "id" : ${id}, "name":"}" , "o":{} }\n`;
    const rendered = renderTree([treeEvent(1, { text })], lookup);
    expect(rendered).toContain(text);
    expect(JSON.parse(rendered)[0]).toMatchObject({ id: 1, name: '}', o: {} });
  });
});

describe('other shapes', () => {
  test('a chain nests one event', () => {
    const chain = JSON.parse(renderChain(treeEvent(7), known));
    expect(chain.competition.season.stage.group).toEqual({ id: '', name: '', ut: '', event: event(7) });
    expect(chain.competition).toMatchObject({
      id: 1,
      name: 'competition 1',
      season: { id: 2, stage: { id: 3 } },
    });
  });

  test('stages nest in their seasons', () => {
    const stage = { competition_id: 1, season_id: 2, text: '{"id":3,"name":"Final"}' };
    const seasons = [{ id: 2, name: 'season 2', stages: [{ id: 3, name: 'Final' }] }];
    expect(JSON.parse(renderStages([stage], known))).toEqual([{ id: 1, name: 'competition 1', seasons }]);
  });

  test('a list is added to a record, even to an empty one', () => {
    expect(withList('{"id":1}', 'seasons', ['{"id":2}', '{"id":3}'])).toBe(
      '{"id":1,"seasons":[{"id":2},{"id":3}]}',
    );
    expect(withList('{}', 'seasons', [])).toBe('{"seasons":[]}');
  });
});

test('group 0 is no group: it is written without an id', () => {
  for (const group_id of [0, null]) {
    const [{ seasons }] = JSON.parse(renderTree([treeEvent(7, { group_id })], known));
    expect(seasons[0].stages[0].groups).toMatchObject([{ id: '', name: '', events: [{ id: 7 }] }]);
  }
});
