/** Water over a sill. */
export function Logo({ className }: { className?: string | undefined }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#2b62c4" />
      <path
        d="M6 11c3.3-3 6.7-3 10 0s6.7 3 10 0M6 17c3.3-3 6.7-3 10 0s6.7 3 10 0M9 23h14"
        fill="none"
        stroke="#fff"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
    </svg>
  );
}
