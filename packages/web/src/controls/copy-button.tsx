// Copies a text as it is, hidden characters and all, and says that it did.
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { copyText } from '../browser-apis/copy-text.ts';
import { IconButton } from './button.tsx';
import { useToast } from './toast.tsx';

export interface CopyButtonProps {
  /** The text, or how to get it. */
  text: string | (() => string | Promise<string>);
  label?: string | undefined;
  className?: string | undefined;
}

export function CopyButton({ text, label = 'Copy', className }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const toast = useToast();
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = async () => {
    try {
      await copyText(typeof text === 'string' ? text : await text());
      setCopied(true);
    } catch {
      toast({ tone: 'bad', title: 'It could not be copied', note: 'The browser did not allow it here.' });
    }
  };
  return (
    <IconButton
      label={copied ? 'Copied' : label}
      size="small"
      className={className}
      onClick={() => void copy()}
    >
      {copied ? <Check className="size-3.5 text-good" /> : <Copy className="size-3.5" />}
    </IconButton>
  );
}
