import type {
  Access,
  CompetitionsQuery,
  ProviderData,
  RestAnswer,
  StagesQuery,
} from '#contract/rest/provider.ts';
import { pageOf, renderStages, withList } from '#contract/rest/tree.ts';
import { isCovered, requireAccess, since } from '../../queries/access.ts';
import type { Views } from '../../store/views.ts';
import { nodeLookup } from '../fields.ts';
import { answerCache, listData, listKey } from './lists.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/** Answers from the catalogue, and from events for nodes without a record, which have no name. */
export function structureData(views: Views): Pick<ProviderData, 'competitions' | 'stages'> {
  const { catalogue, tree } = views;
  const lookup = nodeLookup(views);
  // Rendered from the nodes of all events: cached until one of these or a name changes.
  const lists = answerCache(MAX_BYTES);
  const cached =
    <Q extends object>(name: string, render: (query: Q, access: Access) => { data: string; total: number }) =>
    (query: Q, access: Access): RestAnswer => {
      const version = `${views.nameVersion} ${views.matches.treeVersion}`;
      return lists.get(listKey(name, query, access), version, () => render(query, access));
    };
  const changedSince = (level: 'competition' | 'stage', id: number, timestamp: number | undefined): boolean =>
    timestamp === undefined || (tree.changedAt(level, id) ?? 0) >= since(timestamp);

  const competitions = cached('competitions', (query: CompetitionsQuery, access) => {
    const { timestamp, sport_id, area_id } = query;
    const wanted = tree.ids('competition').filter((id) => {
      if (!isCovered(access, id)) return false;
      if (sport_id !== undefined && tree.sportOf(id) !== sport_id) return false;
      const area = catalogue.find('competition', id)?.competition?.area_id;
      return (area_id === undefined || area === area_id) && changedSince('competition', id, timestamp);
    });
    const items = pageOf(wanted, query).map((id) => {
      const seasons = tree.ids('season', { level: 'competition', id });
      const records = seasons.map((season) => {
        const stages = tree.ids('stage', { level: 'season', id: season });
        const inside = stages.map((stage) => lookup('stage', stage));
        return withList(lookup('season', season), 'stages', inside);
      });
      return withList(lookup('competition', id), 'seasons', records);
    });
    return { data: listData('competitions', items), total: wanted.length };
  });
  const stages = cached('stages', (query: StagesQuery, access) => {
    const { timestamp, season_id: seasonId, sport_id } = query;
    if (seasonId !== undefined) requireAccess(access, tree.competitionOf('season', seasonId));
    const above = seasonId === undefined ? undefined : ({ level: 'season', id: seasonId } as const);
    const wanted = tree
      .ids('stage', above)
      .filter((id) => changedSince('stage', id, timestamp))
      .map((id) => {
        const season_id = tree.parent('stage', id);
        return { id, season_id, competition_id: season_id && tree.parent('season', season_id) };
      })
      .filter(({ competition_id }) => {
        if (competition_id === null) return access.competitions === null && sport_id === undefined;
        if (sport_id !== undefined && tree.sportOf(competition_id) !== sport_id) return false;
        return isCovered(access, competition_id);
      });
    const page = pageOf(wanted, query).map(({ id, ...above }) => {
      const groups = tree.ids('group', { level: 'stage', id }).map((group) => lookup('group', group));
      return { ...above, text: withList(lookup('stage', id), 'groups', groups) };
    });
    return { data: `{"competitions":${renderStages(page, lookup)}}`, total: wanted.length };
  });
  return { competitions, stages };
}
