// Tokens: who can come in besides you. Made here, shown once, taken back at once.
import { type ListedToken, toVisibleLine } from '@toolyard/sdk';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../connection/client.ts';
import { logOut } from '../../connection/connection-state.ts';
import { Button } from '../../controls/button.tsx';
import { ConfirmDialog } from '../../controls/dialog.tsx';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Time } from '../../parts/time.tsx';
import { tokensKey, useTokens } from '../../queries/actor-names.ts';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { Expiry } from './expiry.tsx';
import { Rows } from './rows.tsx';
import { useRevoke } from './use-revoke.ts';

export function TokensTab() {
  const { data, error, refetch } = useTokens();
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<ListedToken>();
  const revoke = useRevoke({
    listKey: tokensKey,
    revoke: (id) => (revoked?.current ? logOut() : client.tokens.revoke(id)),
    done: 'The token is revoked',
    failed: 'It was not revoked',
  });
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-72 text-sm text-soft">
          An agent’s token calls the tools of its role over MCP and opens nothing else. A person’s token may
          do all that you may. A browser that logged in has one, too.
        </p>
        <Button variant="primary" icon={<Plus className="size-4" />} onClick={() => setCreating(true)}>
          New token
        </Button>
      </div>
      {error && (
        <ErrorNote error={error} title="The tokens could not be read" onRetry={() => void refetch()} />
      )}
      {!data && !error && <SkeletonLines count={4} label="Reading tokens" />}
      {data?.items.length === 0 && (
        <EmptyState
          icon={<KeyRound />}
          title="No tokens"
          note="Only the token in the home of the server opens it."
        />
      )}
      {data && data.items.length > 0 && <TokenRows tokens={data.items} onRevoke={setRevoked} />}
      {isCreating && <CreateTokenDialog onClose={() => setCreating(false)} />}
      {revoked && (
        <ConfirmDialog
          open
          onOpenChange={(open) => open || setRevoked(undefined)}
          title={`Revoke ${toVisibleLine(revoked.name)}?`}
          note={
            revoked.current
              ? 'It is the browser you are looking at: it is logged out at once, and you need a new login link.'
              : revoked.browser
                ? 'That browser is logged out at once.'
                : 'Whoever uses it is cut off at once, calls that are under way included. It cannot be undone.'
          }
          confirmLabel="Revoke it"
          danger
          onConfirm={() => revoke.mutateAsync(revoked.id).then(() => {})}
        />
      )}
    </div>
  );
}

interface TokenRowsProps {
  tokens: readonly ListedToken[];
  onRevoke(token: ListedToken): void;
}

function TokenRows({ tokens, onRevoke }: TokenRowsProps) {
  return (
    <Rows label="Tokens" columns={['Name', 'Who', 'Made', 'Last used', 'Expires', '']}>
      {tokens.map((token) => (
        <Rows.Row key={token.id}>
          <Rows.Cell isHead>
            <Name token={token} />
          </Rows.Cell>
          <Rows.Cell label="Who">
            <Badge tone={token.kind === 'agent' ? 'neutral' : 'accent'}>
              {token.browser
                ? 'browser'
                : token.kind === 'agent'
                  ? `agent${token.role ? `: ${token.role}` : ''}`
                  : 'person'}
            </Badge>
          </Rows.Cell>
          <Rows.Cell label="Made">
            <Time at={token.createdAt} />
          </Rows.Cell>
          <Rows.Cell label="Last used">
            {token.lastUsedAt ? <Time at={token.lastUsedAt} /> : 'never'}
          </Rows.Cell>
          <Rows.Cell label="Expires">
            <Expiry at={token.expiresAt} />
          </Rows.Cell>
          <Rows.Cell isEnd>
            <Button
              size="small"
              variant="danger"
              onClick={() => onRevoke(token)}
              aria-label={`Revoke ${toVisibleLine(token.name)}`}
            >
              Revoke
            </Button>
          </Rows.Cell>
        </Rows.Row>
      ))}
    </Rows>
  );
}

/** With what tells one browser from another. */
function Name({ token: { name, current, agent, address, origin } }: { token: ListedToken }) {
  return (
    <>
      <span className="font-medium wrap-anywhere">{toVisibleLine(name)}</span>{' '}
      {current && <Badge tone="good">this browser</Badge>}
      {origin && <span className="block text-faint wrap-anywhere">at {toVisibleLine(origin)}</span>}
      {address && <span className="block text-faint">from {toVisibleLine(address)}</span>}
      {agent && (
        <span className="line-clamp-2 max-w-72 text-xs text-faint wrap-anywhere" title={toVisibleLine(agent)}>
          {toVisibleLine(agent)}
        </span>
      )}
    </>
  );
}
