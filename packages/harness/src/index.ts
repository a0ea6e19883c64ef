// What programs import: a yard of their own. Tools, events and errors are in @toolyard/sdk.
export {
  createToolyard,
  type HookedCall,
  type Hooks,
  type HookVerdict,
  type Logger,
  type RoleDefinition,
  type Toolyard,
  type ToolyardOptions,
} from './app/library.ts';
