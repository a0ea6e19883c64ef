// What a person sends to an agent.
import { z } from 'zod';

export const TextPart = z.strictObject({ type: z.literal('text'), text: z.string().min(1) });

export const Content = z.union([z.string().min(1), z.array(TextPart).min(1)], {
  error: 'content must be a non-empty string or a list of {type:"text",text} parts',
});
export type Content = z.infer<typeof Content>;

/** The words of a message, parts joined by line breaks. */
export function toText(content: Content): string {
  return typeof content === 'string' ? content : content.map((part) => part.text).join('\n');
}
