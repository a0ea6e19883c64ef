// What authors of engines and stores test with.
export * from './engine-conformance.ts';
export * from './scripted-engine.ts';
export type { ScriptedTurn, Step } from './scripted-step.ts';
export * from './store-conformance.ts';
export type { EngineWorld } from './support/engine-stage.ts';
export * from './support/recording-host.ts';
export type { StoreWorld } from './support/store-samples.ts';
