// How long an answer is awaited, by the server's clock; by the second when little is left.
import { useEffect, useState } from 'react';
import { serverNow } from '../connection/clock.ts';
import { formatWaiting } from './format-decision.ts';

const soonMs = 120_000;

export interface WaitingTimeProps {
  expiresAt: string | null;
  unattended?: 'deny' | 'park' | undefined;
}

export function WaitingTime({ expiresAt, unattended }: WaitingTimeProps) {
  const [now, setNow] = useState(serverNow);
  const leftMs = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now;
  const isSoon = leftMs < soonMs;
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), isSoon ? 1_000 : 15_000);
    return () => clearInterval(timer);
  }, [isSoon]);
  return (
    <span className={isSoon ? 'font-medium text-warn' : ''}>
      {formatWaiting({ expiresAt, unattended }, now)}
    </span>
  );
}
