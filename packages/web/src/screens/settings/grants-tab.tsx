// Grants: what you have allowed for longer than once. Any of them can be taken back.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ListedGrant, toExcerpt, toVisibleLine } from '@toolyard/sdk';
import { Handshake } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../connection/client.ts';
import { Button } from '../../controls/button.tsx';
import { ConfirmDialog } from '../../controls/dialog.tsx';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { ToolTitle } from '../../decision-cards/tool-title.tsx';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Time } from '../../parts/time.tsx';
import { useActorNames } from '../../queries/actor-names.ts';
import { Expiry } from './expiry.tsx';
import { Rows } from './rows.tsx';
import { useRevoke } from './use-revoke.ts';

const grantsKey = ['grants'];

export function GrantsTab() {
  const { data, error, refetch } = useQuery({ queryKey: grantsKey, queryFn: () => client.grants.list() });
  const [revoked, setRevoked] = useState<ListedGrant>();
  const revoke = useRevoke({
    listKey: grantsKey,
    revoke: client.grants.revoke,
    done: 'The grant is taken back',
    failed: 'It was not taken back',
  });
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-prose text-sm text-soft">
        Each was given with an answer to an approval. It covers the same call only, ends by itself, and no
        longer counts once its tool has changed.
      </p>
      {error && (
        <ErrorNote error={error} title="The grants could not be read" onRetry={() => void refetch()} />
      )}
      {!data && !error && <SkeletonLines count={4} label="Reading grants" />}
      {data?.items.length === 0 && (
        <EmptyState
          icon={<Handshake />}
          title="No grants"
          note="When an approval is answered with “This session” or “Always”, what that allows stands here."
        />
      )}
      {data && data.items.length > 0 && <GrantRows grants={data.items} onRevoke={setRevoked} />}
      {revoked && (
        <ConfirmDialog
          open
          onOpenChange={(open) => open || setRevoked(undefined)}
          title="Take this grant back?"
          note={
            <>
              The next call of <ToolTitle tool={revoked.tool} /> like this asks again.
            </>
          }
          confirmLabel="Take it back"
          danger
          onConfirm={() => revoke.mutateAsync(revoked.id).then(() => {})}
        />
      )}
    </div>
  );
}

function GrantRows({
  grants,
  onRevoke,
}: {
  grants: readonly ListedGrant[];
  onRevoke(grant: ListedGrant): void;
}) {
  const nameOf = useActorNames();
  return (
    <Rows label="Grants" columns={['What', 'For', 'By', 'Uses', 'Ends', '']}>
      {grants.map((grant) => (
        <Rows.Row key={grant.id}>
          <Rows.Cell isHead>
            <What grant={grant} />
          </Rows.Cell>
          <Rows.Cell label="For">
            <Holder grant={grant} />
          </Rows.Cell>
          <Rows.Cell label="By">
            <span title={toVisibleLine(grant.owner.id)}>{nameOf(grant.owner.id)}</span>{' '}
            <span className="text-faint">via {toVisibleLine(grant.owner.via)}</span>
            {grant.reason && <p className="text-soft wrap-anywhere">“{toVisibleLine(grant.reason)}”</p>}
          </Rows.Cell>
          <Rows.Cell label="Uses">
            <span className="tabular-nums">{grant.uses}</span>
            {grant.lastUsedAt && (
              <span className="text-faint">
                , last <Time at={grant.lastUsedAt} />
              </span>
            )}
          </Rows.Cell>
          <Rows.Cell label="Ends">
            <Expiry at={grant.expiresAt} />
          </Rows.Cell>
          <Rows.Cell isEnd>
            <Button
              size="small"
              variant="danger"
              onClick={() => onRevoke(grant)}
              aria-label={`Take back: ${toVisibleLine(grant.tool)}`}
            >
              Revoke
            </Button>
          </Rows.Cell>
        </Rows.Row>
      ))}
    </Rows>
  );
}

function What({ grant: { tool, key, stale } }: { grant: ListedGrant }) {
  const rest = key.startsWith(`${tool} `) ? key.slice(tool.length + 1) : key;
  return (
    <div className="flex flex-col items-start gap-0.5">
      <span className="font-medium">
        <ToolTitle tool={tool} />
      </span>
      <span className="font-mono text-xs text-soft wrap-anywhere">
        {key === tool ? 'with any input' : toExcerpt(rest, 300).text}
      </span>
      {stale && (
        <Badge tone="warn" title="It was given for the tool as it was; the next call asks again.">
          the tool has changed: no longer counts
        </Badge>
      )}
    </div>
  );
}

function Holder({ grant: { scope, sessionId, role, workspace } }: { grant: ListedGrant }) {
  if (scope === 'session' && sessionId) {
    return (
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId }}
        className="underline decoration-faint/50 underline-offset-2"
      >
        one session
      </Link>
    );
  }
  return (
    <span className="wrap-anywhere">
      {toVisibleLine(role ?? '')} <span className="text-faint">in {toVisibleLine(workspace ?? '')}</span>
    </span>
  );
}
