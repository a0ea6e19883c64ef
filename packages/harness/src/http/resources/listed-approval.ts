// An approval as it stands in a list: what is long is cut in the middle, and that it was is said. Whoever decides looks
// at the whole one.
import type { Approval, ListedApproval } from '@toolyard/sdk';

const mostChars = 4_096;

export function toListed(approval: Approval): ListedApproval {
  const { grantKey, preview } = approval;
  const input = JSON.stringify(approval.input);
  if (Math.max(input.length, grantKey.length, preview?.length ?? 0) <= mostChars) return approval;
  return {
    ...approval,
    input: input.length > mostChars ? cut(input) : approval.input,
    grantKey: cut(grantKey),
    ...(preview !== undefined && { preview: cut(preview) }),
    shortenedFrom: input.length,
  };
}

function cut(text: string): string {
  if (text.length <= mostChars) return text;
  const half = mostChars / 2;
  return `${text.slice(0, half)}⟨… ${text.length - mostChars} characters …⟩${text.slice(-half)}`;
}
