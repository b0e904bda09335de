import type { Codec } from '#topics/codec.ts';
import type {
  MatchIncident,
  MatchResult,
  MatchState,
  MatchTransition,
  NormalizedMessage,
} from '#topics/generated/types.ts';

/** The topics of the match processor, in and out. */
export type MatchCodecs = {
  readonly 'normalized-messages': Codec<NormalizedMessage>;
  readonly 'match-incidents': Codec<MatchIncident>;
  readonly 'match-state': Codec<MatchState>;
  readonly 'match-transitions': Codec<MatchTransition>;
  readonly 'match-results': Codec<MatchResult>;
};
