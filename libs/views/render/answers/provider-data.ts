import { RestError } from '#contract/rest/errors.ts';
import type { ProviderData } from '#contract/rest/provider.ts';
import { since, visibleEvent } from '../../queries/access.ts';
import type { Views } from '../../store/views.ts';
import { catalogueData } from './catalogues.ts';
import { eventData } from './events.ts';
import { standingsData } from './standings.ts';
import { structureData } from './structure.ts';

/** Returns the data behind the REST contract, from the views of this replica. The feed is streamed, as the contract has no pages for it. */
export function createProviderData(views: Views): ProviderData {
  const { feed, matches } = views;
  return {
    ...catalogueData(views),
    ...structureData(views),
    ...standingsData(views),
    ...eventData(views),
    async feed(query, access) {
      if (query.timestamp < feed.keptSince) throw new RestError('WINDOW_GONE');
      return feed.window(query, since(query.timestamp), access.competitions);
    },
    async feedOf(id, access) {
      visibleEvent(matches, id, access);
      return feed.ofEvent(id);
    },
  };
}
