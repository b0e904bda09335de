import { RestError } from '#contract/rest/errors.ts';
import type { Answer, ProviderData } from '#contract/rest/provider.ts';
import { requireAccess, since } from '../../queries/access.ts';
import type { Views } from '../../store/views.ts';

/**
 * Longest answer of the feed, in characters. The contract has no pages for it, and leaving messages out would lose
 * them for whoever follows it: a window that holds more is refused as too wide (400), and has to be asked for in parts.
 */
const MAX_LENGTH = 128 * 1024 * 1024;

/** Answers from the messages that are kept. */
export function feedData({ feed, matches }: Views): Pick<ProviderData, 'feed' | 'feedOf'> {
  const answer = (messages: string[] | null): Answer => {
    if (messages === null) throw new RestError('INVALID_PARAMETER');
    return { data: `[${messages.join(',')}]`, total: messages.length };
  };
  return {
    feed(query, access) {
      if (query.from < feed.keptSince) throw new RestError('WINDOW_GONE');
      return answer(feed.window(query, since(query.from), access.competitions, MAX_LENGTH));
    },
    feedOf(id, access) {
      const event = matches.find(id);
      if (event === undefined) throw new RestError('NOT_FOUND');
      requireAccess(access, event.competition_id);
      return answer(feed.ofEvent(id, MAX_LENGTH));
    },
  };
}
