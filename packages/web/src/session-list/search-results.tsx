// Below the sessions whose names fit: those in which it was said.
import { Link } from '@tanstack/react-router';
import type { SearchHit } from '@toolyard/sdk';
import { Spinner } from '../controls/spinner.tsx';
import { visitFound } from '../navigation/found-visits.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Time } from '../parts/time.tsx';
import { useSearch } from '../queries/search.ts';
import { toTitle } from '../queries/session-title.ts';
import { useHiddenSessions } from './deletions.ts';
import { Snippet } from './snippet.tsx';

const kinds: Record<SearchHit['kind'], string> = { title: 'Title', user: 'You', text: 'Agent', tool: 'Tool' };

export function SearchResults({ filter }: { filter: string }) {
  const { data, error, isLooking } = useSearch(filter);
  const hidden = useHiddenSessions();
  const hits = (data?.items ?? []).filter(
    ({ kind, sessionId }) => kind !== 'title' && !hidden.has(sessionId),
  );
  return (
    <section aria-label="Said in sessions" className="pt-3">
      <h3 className="flex items-center gap-2 px-2.5 pb-1 text-xs font-medium text-faint">
        Said in sessions
        {isLooking && <Spinner className="size-3!" />}
      </h3>
      {error && <ErrorNote error={error} title="The search failed" className="mx-1" />}
      {hits.length === 0 && !isLooking && !error && (
        <p className="px-2.5 py-1 text-13 text-faint">
          {data?.next ? 'So many are called so: say more of it.' : 'Nobody said that.'}
        </p>
      )}
      <ul className="flex flex-col gap-px">
        {hits.map((hit) => (
          <Hit key={`${hit.sessionId} ${hit.seq}`} hit={hit} filter={filter} />
        ))}
      </ul>
    </section>
  );
}

function Hit({ hit, filter }: { hit: SearchHit; filter: string }) {
  return (
    <li>
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: hit.sessionId }}
        search={{ at: hit.seq, q: filter }}
        onClick={visitFound}
        data-list-item
        className="block rounded-lg px-2.5 py-1.5 -outline-offset-2 hover:bg-hover"
      >
        <span className="flex gap-2 text-xs text-faint">
          <span className="truncate">
            {kinds[hit.kind]} · {toTitle(hit)}
          </span>
          <Time at={hit.at} className="ml-auto shrink-0" />
        </span>
        <span className="line-clamp-2 text-13 text-soft wrap-anywhere">
          <Snippet hit={hit} />
        </span>
      </Link>
    </li>
  );
}
