// The mark, as in the icon; it sits beside the name, so it has none of its own.
export function Logo({ className = 'size-6' }: { className?: string | undefined }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#0f766e" />
      <path d="M8 11h16M16 11v12" stroke="#fff" strokeWidth="3.2" strokeLinecap="round" />
      <circle cx="23.5" cy="21.5" r="2.5" fill="#fbbf24" />
    </svg>
  );
}
