// The built-in tools of the CLI that no agent has, with the reason, and the older names that the CLI still understands.
// For people and tests: what keeps a tool out is that `native-tools.ts` does not list it.
const because = {
  agents: 'an agent that it starts would be outside of Toolyard’s limits',
  schedules: 'what it starts later would have no turn, and nobody to ask',
  session: 'mode, directory and end are the session’s',
  skills: 'skills of the CLI are not loaded',
  servers: 'other servers do not reach the CLI',
  screens: 'it speaks to a screen of the CLI that nobody sees',
  outside: 'it acts on an account outside of this machine',
  processes: 'it runs code that outlives the call',
} as const;

export const absentTools: ReadonlyMap<string, string> = new Map(
  Object.entries({
    [because.agents]: ['Agent', 'ListAgents', 'SendMessage', 'SubagentHandback', 'Workflow'],
    [because.schedules]: ['CronCreate', 'CronDelete', 'CronList', 'ScheduleWakeup', 'RemoteTrigger'],
    [because.session]: ['EnterPlanMode', 'EnterWorktree', 'ExitWorktree', 'EndConversation'],
    [because.skills]: ['Skill', 'propose_skills'],
    [because.servers]: [
      'ListMcpResourcesTool',
      'ReadMcpResourceTool',
      'ReadMcpResourceDirTool',
      'WaitForMcpServers',
    ],
    [because.screens]: [
      ...['OfferChromeSetup', 'ProposeGoal', 'ReadNotifications', 'ReportFindings', 'SendUserFile'],
      ...['SendUserMessage', 'ShowOnboardingRolePicker'],
    ],
    [because.outside]: [
      ...['Artifact', 'ClaudeDesign', 'Projects', 'PushNotification', 'SendFeedback', 'ShareOnboardingGuide'],
    ],
    [because.processes]: ['Monitor', 'REPL', 'JavaScript'],
  }).flatMap(([reason, names]) => names.map((name) => [name, reason] as const)),
);

const olderNames: ReadonlyMap<string, string> = new Map([
  ['Task', 'Agent'],
  ['KillShell', 'TaskStop'],
  ['KillBash', 'TaskStop'],
  ['ListPeers', 'ListAgents'],
  ['Brief', 'SendUserMessage'],
  ['ListMcpResources', 'ListMcpResourcesTool'],
  ['ReadMcpResource', 'ReadMcpResourceTool'],
  ['ReadMcpResourceDir', 'ReadMcpResourceDirTool'],
  ['Eval', 'REPL'],
]);

/** The name that a tool of the CLI goes by now. */
export function toCurrentName(tool: string): string {
  return olderNames.get(tool) ?? tool;
}
