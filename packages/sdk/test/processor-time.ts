// How much work something was, on a machine that is busy with other work as well.

/** Milliseconds of processor time that this process has used: unlike a clock, it stands still while others run. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
