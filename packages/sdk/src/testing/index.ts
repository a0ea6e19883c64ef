// What authors of engines and stores test with.
export * from './engine-conformance.ts';
export type { EngineWorld } from './engine-stage.ts';
export * from './recording-host.ts';
export * from './scripted-engine.ts';
export type { ScriptedTurn, Step } from './scripted-step.ts';
export * from './store-conformance.ts';
export type { StoreWorld } from './store-samples.ts';
