import { RestError } from '#contract/rest/errors.ts';
import type { ProviderData, StreamedAnswer } from '#contract/rest/provider.ts';
import { since } from '../../queries/access.ts';
import { visibleEvent } from '../../queries/events.ts';
import type { FoundMessages } from '../../store/feed.ts';
import type { Views } from '../../store/views.ts';
import { catalogueData } from './catalogues.ts';
import { eventData } from './events.ts';
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

/** Answers from the stored messages; streamed, because the contract has no pages for them. */
function feedData({ feed, matches }: Views): Pick<ProviderData, 'feed' | 'feedOf'> {
  return {
    async feed(query, access) {
      if (query.timestamp < feed.keptSince) throw new RestError('WINDOW_GONE');
      return answer(await feed.window(query, since(query.timestamp), access.competitions));
    },
    async feedOf(id, access) {
      visibleEvent(matches, id, access);
      return answer(await feed.ofEvent(id));
    },
  };
}

function answer(found: FoundMessages): StreamedAnswer {
  return { data: list(found), total: found.total };
}

async function* list(found: FoundMessages): AsyncGenerator<string, void, undefined> {
  yield '[';
  yield* found.texts();
  yield ']';
}
