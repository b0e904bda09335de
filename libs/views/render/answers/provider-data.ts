import type { ProviderData } from '#contract/rest/provider.ts';
import type { Views } from '../../store/views.ts';
import { catalogueData } from './catalogues.ts';
import { eventData } from './events.ts';
import { feedData } from './feed.ts';
import { standingsData } from './standings.ts';
import { structureData } from './structure.ts';

/** Returns the data behind the REST contract, from the views of this replica. */
export function createProviderData(views: Views): ProviderData {
  return {
    ...catalogueData(views),
    ...structureData(views),
    ...standingsData(views),
    ...eventData(views),
    ...feedData(views),
  };
}
