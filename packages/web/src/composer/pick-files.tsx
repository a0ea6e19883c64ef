// The button that chooses images and files of this computer.
import { Paperclip } from 'lucide-react';
import { useRef } from 'react';
import { IconButton } from '../controls/button.tsx';

export interface PickFilesProps {
  isDisabled?: boolean | undefined;
  onPick(files: File[]): void;
}

export function PickFiles({ isDisabled = false, onPick }: PickFilesProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        label="Add images or files"
        size="small"
        disabled={isDisabled}
        onClick={() => input.current?.click()}
      >
        <Paperclip className="size-4" />
      </IconButton>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        onChange={(event) => {
          onPick([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
    </>
  );
}
