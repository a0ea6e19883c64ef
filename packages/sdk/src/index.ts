// All that outsiders import.
export * from './client.ts';
export * from './engine.ts';
export * from './protocol/config.ts';
export * from './protocol/content.ts';
export * from './protocol/error.ts';
export * from './protocol/event.ts';
export * from './protocol/routes.ts';
export * from './protocol/session.ts';
export * from './protocol/tool-info.ts';
export * from './reduce.ts';
export * from './sse.ts';
export * from './store.ts';
export * from './tool.ts';
export * from './wait.ts';
