// Calls of MCP clients, through the toolbox. Knows the two ways in which clients can be asked, and runs nothing itself.
import {
  type CallToolRequestParams,
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type AnswerApproval, type Approval, pause, ToolyardError } from '@toolyard/sdk';
import type { Approvals } from '../core/approvals/approvals.ts';
import type { RoleContext } from '../core/calls/offered-tools.ts';
import type { Toolbox } from '../core/calls/toolbox.ts';
import { toHash } from '../core/lib/canonical-json.ts';
import type { CallDirectly } from '../core/turns/direct-calls.ts';
import { findWorkspace } from '../core/workspace/workspaces.ts';
import { type Caller, toKey } from './caller.ts';
import type { CallerMode, OpenSession } from './direct-sessions.ts';
import { parseReply, toElicitation } from './elicitation.ts';
import { toFullName } from './names.ts';
import { createParkedCalls, type ParkedCall } from './parked-calls.ts';
import { toResult } from './result.ts';
import type { RoleContexts } from './role-contexts.ts';
import { type RunningCall, startCall } from './running-call.ts';
import { type WaitOptions, waitForCall } from './wait-for-call.ts';

export interface ToolCallDeps {
  toolbox: Pick<Toolbox, 'list'>;
  callDirectly: CallDirectly;
  approvals: Pick<Approvals, 'answer'>;
  roleContexts: RoleContexts;
  /** How often a client that waits for a person hears of it. */
  noticeIntervalMs: number;
}

/** One client at one server instance. */
export interface McpClient {
  caller: Caller;
  era: 'modern' | 'legacy';
  openSession: OpenSession;
  /** Hears that a request is over; one that its client took back gets no answer. */
  onEnded?: OnEnded;
}

export type OnEnded = (requestId: string | number, how: 'answered' | 'taken back') => void;

export type ToolCalls = ReturnType<typeof createToolCalls>;

/** How long calls may take to stop when the server does. */
const stopTimeoutMs = 3_000;

export function createToolCalls(deps: ToolCallDeps) {
  const { toolbox, callDirectly, approvals, roleContexts, noticeIntervalMs } = deps;
  const parkedCalls = createParkedCalls();
  const active = new Set<RunningCall>();

  async function begin(
    { caller, openSession }: McpClient,
    tool: string,
    input: unknown,
  ): Promise<RunningCall> {
    const { actor, cwd, role } = caller;
    const roleContext = await roleContexts.find(findWorkspace(cwd), role);
    const session = await openSession(toCallerMode(roleContext));
    const call = startCall((signals) =>
      callDirectly({ session, ...roleContext, tool, input, actor, ...signals }),
    );
    active.add(call);
    const forget = () => void active.delete(call);
    call.outcome.then(forget, forget);
    if (toolbox.list(roleContext).some(({ name }) => name === tool)) return call;
    // It was refused, and that is on record; to a client such a name is a mistake of its own.
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, (await call.outcome).text);
  }

  /** Settles a question with what the person at the client said. Somebody may have been faster elsewhere. */
  async function answer({ id }: Approval, answered: AnswerApproval, { actor }: Caller): Promise<void> {
    try {
      await approvals.answer(id, answered, actor);
    } catch (thrown) {
      if (!(thrown instanceof ToolyardError && thrown.code === 'already_answered')) throw thrown;
    }
  }

  /** A client that comes back has its person's answer, or nonsense, or none of either; only then is it asked again. */
  async function takeReply({ call }: ParkedCall, reply: unknown, caller: Caller): Promise<boolean> {
    const answered = parseReply(reply);
    const asked = call.asked();
    if (answered && answered !== 'dismissed' && asked) await answer(asked, answered, caller);
    return reply !== undefined;
  }

  return {
    async call(
      server: Server,
      mcpClient: McpClient,
      { name, arguments: input = {} }: CallToolRequestParams,
      ctx: ServerContext,
    ): Promise<CallToolResult | InputRequiredResult> {
      const { caller } = mcpClient;
      const bind = () => toHash([toKey(caller), name, input]);
      const parked = ctx.mcpReq.requestState<ParkedCall>();
      if (parked && parked.binding !== bind()) throw unknownState();
      const call = parked?.call ?? (await begin(mcpClient, toFullName(name), input));
      const replied = parked && (await takeReply(parked, ctx.mcpReq.inputResponses?.approval, caller));
      const waited = await waitForCall(call, {
        ctx,
        asks: replied ? 'elsewhere' : toAskMethod(mcpClient, server),
        noticeIntervalMs,
        answer: (approval, answered) => answer(approval, answered, caller),
      });
      if ('asked' in waited) {
        const { key } = parked ?? parkedCalls.park(call, bind());
        const approval = inputRequired.elicit(toElicitation(waited.asked));
        return inputRequired({ inputRequests: { approval }, requestState: key });
      }
      if (parked) parkedCalls.release(parked);
      return toResult(waited.outcome);
    },

    /** The call that a client comes back for. */
    findParked: (state: string): ParkedCall => parkedCalls.find(state) ?? refuseUnknownState(),

    isBusy: () => active.size > 0,

    async close(): Promise<void> {
      const stopped = new AbortController();
      const settled = [...active].map(({ outcome }) => outcome);
      Promise.allSettled(settled).then(() => stopped.abort());
      for (const call of active) call.stop();
      parkedCalls.clear();
      await pause(stopTimeoutMs, stopped.signal);
      // What follows from an outcome, up to the answer on its way, happens before the next turn of the event loop.
      await pause(0);
    },
  };
}

function toCallerMode({ role, config }: RoleContext): CallerMode {
  return { role: role.name, mode: role.mode ?? config.defaults.mode };
}

/** Only a person's token makes whoever sits at the client a person: an agent must not allow its own calls. */
function toAskMethod({ caller, era }: McpClient, server: Server): WaitOptions['asks'] {
  const elicitation = server.getClientCapabilities()?.elicitation;
  const canFillForms = elicitation && (elicitation.form !== undefined || elicitation.url === undefined);
  if (caller.actor.kind !== 'person' || !canFillForms) return 'elsewhere';
  return era === 'modern' ? 'by returning' : 'within';
}

function refuseUnknownState(): never {
  throw unknownState();
}

function unknownState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState');
}
