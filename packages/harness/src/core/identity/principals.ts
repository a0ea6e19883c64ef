// Who a request is from. A person's token may do everything; an agent's token only calls the tools of its role.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  type Actor,
  type CreatedToken,
  type CreateToken,
  type Store,
  type StoreWrites,
  type Token,
  ToolyardError,
} from '@toolyard/sdk';
import { toChangeEntry } from '../audit/audit-changes.ts';
import type { NewId } from '../lib/ids.ts';
import type { Clock } from '../lib/ports.ts';
import { toBrowserName } from './browser-name.ts';
import { createLoginLinks } from './login-links.ts';

/** `expiresAt`: when the token ends by itself. */
export type Principal = { id: string; expiresAt?: string } & (
  | { kind: 'person' }
  | { kind: 'agent'; role: string }
);

export interface PrincipalDeps {
  store: Store;
  clock: Clock;
  newId: NewId;
  /** The token in the home: the owner's. */
  ownerToken: string;
  /** Where the server listens: a browser's login ends when that is another port. */
  port(): number;
}

/** Where a browser logs in, and what it says of itself. */
export interface BrowserFacts {
  /** Of the page: its login works there and nowhere else. */
  origin: string;
  agent?: string | undefined;
  address?: string | undefined;
}

const dayMs = 86_400_000;
const touchIntervalMs = 60_000;
const sessionLifetimeMs = 7 * dayMs;

export type Principals = ReturnType<typeof createPrincipals>;

export function createPrincipals({ store, clock, newId, ownerToken, port }: PrincipalDeps) {
  const owner = digest(ownerToken);
  const loginLinks = createLoginLinks(clock);
  const revokedListeners: ((id: string) => void)[] = [];
  // Ids are never given twice, so whatever is in here stays true.
  const revoked = new Set<string>();
  const now = () => new Date(clock.now()).toISOString();

  /** `page`: the origin of our own page, if that is what sent the secret. */
  async function identify(secret: string, page: string | undefined): Promise<Principal | undefined> {
    const hash = digest(secret);
    if (timingSafeEqual(hash, owner)) return { kind: 'person', id: 'owner' };
    // Looked up by its hash, so the time it takes says nothing about the secret.
    const token = await store.reads.tokenByHash(hash.toString('hex'));
    if (!token || (token.browser && !isLoginOf(token, page))) return undefined;
    if (token.expiresAt !== undefined && token.expiresAt <= now()) return undefined;
    await touch(token, hash.toString('hex'));
    const { id, expiresAt } = token;
    const holder = { id, ...(expiresAt !== undefined && { expiresAt }) };
    return token.kind === 'person'
      ? { kind: 'person', ...holder }
      : { kind: 'agent', role: token.role ?? '', ...holder };
  }

  function isLoginOf(token: Token, page: string | undefined): boolean {
    return page !== undefined && token.origin === page && token.port === port();
  }

  /** Remembers that a token is in use, about once a minute. */
  async function touch(token: Token, hash: string): Promise<void> {
    if (token.lastUsedAt && clock.now() - Date.parse(token.lastUsedAt) < touchIntervalMs) return;
    // Looked at again inside the commit: a token that was revoked meanwhile must stay so.
    const write = async (tx: StoreWrites) => {
      const current = await tx.tokenByHash(hash);
      if (current) await tx.putToken({ ...current, lastUsedAt: now() }, hash);
    };
    store.commit(write).catch(() => {});
  }

  async function make(
    wanted: Omit<CreateToken, 'expiresInDays'> & { lifetimeMs?: number; browser?: BrowserFacts },
    by?: Actor,
  ): Promise<CreatedToken> {
    const secret = `tyd_${randomBytes(24).toString('base64url')}`;
    const { name, kind, role, browser, lifetimeMs } = wanted;
    const expires =
      lifetimeMs === undefined ? {} : { expiresAt: new Date(clock.now() + lifetimeMs).toISOString() };
    const token: Token = {
      id: newId('tok'),
      name,
      kind,
      ...(role && { role }),
      ...(browser && { browser: true, port: port(), ...toStoredBrowser(browser) }),
      createdAt: now(),
      ...expires,
    };
    // Who follows a login link is whoever the link was given to: a person, from now on known by this token.
    const actor: Actor = by ?? { kind: 'person', id: token.id, via: 'login' };
    const changed = {
      change: 'token_created',
      subject: `${token.id} ${kind}${role ? ` ${role}` : ''}`,
    } as const;
    await store.commit(async (tx) => {
      await tx.putToken(token, digest(secret).toString('hex'));
      await tx.appendAudit(toChangeEntry(clock, actor, changed));
    });
    return { ...token, secret };
  }

  /** Resolves when these tokens open nothing any more and whoever holds something open for them was told. */
  async function revoke(ids: readonly string[], by: Actor): Promise<string[]> {
    const gone = await store.commit(async (tx) => {
      const deleted: string[] = [];
      for (const id of ids) {
        if (!(await tx.deleteToken(id))) continue;
        await tx.appendAudit(toChangeEntry(clock, by, { change: 'token_revoked', subject: id }));
        deleted.push(id);
      }
      return deleted;
    });
    for (const id of gone) {
      revoked.add(id);
      for (const listener of revokedListeners) listener(id);
    }
    return gone;
  }

  return {
    identify,

    async createToken({ expiresInDays, ...wanted }: CreateToken, by: Actor): Promise<CreatedToken> {
      if (wanted.kind === 'agent' && !wanted.role) {
        throw new ToolyardError('invalid_request', 'role: a token of an agent needs a role; name one.');
      }
      const lifetime = expiresInDays === undefined ? {} : { lifetimeMs: expiresInDays * dayMs };
      return make({ ...wanted, ...lifetime }, by);
    },

    listTokens: (): Promise<Token[]> => store.reads.tokens(),

    async revokeToken(id: string, by: Actor): Promise<{ id: string }> {
      const gone = await revoke([id], by);
      if (gone.length > 0) return { id };
      throw new ToolyardError('token_not_found', `There is no token ${id.slice(0, 60)}.`);
    },

    /**
     * Ends the logins of browsers that were made on another port. Whatever program listens there now has the page's
     * origin, and with it what the page has stored.
     */
    async endLoginsOfOtherPorts(): Promise<void> {
      const tokens = await store.reads.tokens();
      const others = tokens.filter((token) => token.browser && token.port !== port());
      if (others.length > 0)
        await revoke(
          others.map(({ id }) => id),
          { kind: 'system', id: 'server', via: 'login' },
        );
    },

    /** For a request that was let in a while ago. Throws `unauthorized` when its token was revoked since. */
    recheck({ id }: Principal): void {
      if (revoked.has(id)) throw new ToolyardError('unauthorized', 'This token has just been revoked.');
    },

    /** Hears which token was just revoked: what is open for it must end. Must not throw. */
    onRevoked: (listener: (id: string) => void) => void revokedListeners.push(listener),

    createLoginCode: loginLinks.create,

    async redeemLoginCode(code: string, browser: BrowserFacts): Promise<CreatedToken> {
      loginLinks.redeem(code);
      const name = toBrowserName(browser.agent ?? '');
      return make({ name, kind: 'person', browser, lifetimeMs: sessionLifetimeMs });
    },
  };
}

/** What anybody may send is kept short. */
function toStoredBrowser({ origin, agent, address }: BrowserFacts): Partial<Token> {
  return {
    origin,
    ...(agent && { agent: agent.slice(0, 300) }),
    ...(address && { address: address.slice(0, 100) }),
  };
}

/** The actor behind a principal, for approvals and evidence. */
export function toActor({ kind, id }: Principal, via: string): Actor {
  return { kind, id, via };
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
