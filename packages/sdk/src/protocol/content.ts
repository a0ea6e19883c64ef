// What a person sends to an agent: words, and images among them.
import { z } from 'zod';
import { findImageType, imageTypes, largestImage, toByteCount, toImageLabel, toMegabytes } from './image.ts';

export const TextPart = z.strictObject({ type: z.literal('text'), text: z.string().min(1) });

export const ImagePart = z
  .strictObject({
    type: z.literal('image'),
    mediaType: z.enum(imageTypes, { error: `an image is ${imageTypes.join(', ')}` }),
    /** Base64, with padding. */
    data: z.string().min(1),
  })
  .superRefine((image, context) => {
    const message = findFault(image);
    if (message) context.addIssue({ code: 'custom', path: ['data'], message });
  });
export type ImagePart = z.infer<typeof ImagePart>;

const ContentPart = z.discriminatedUnion('type', [TextPart, ImagePart], {
  error: 'a part is {type:"text",text} or {type:"image",mediaType,data}',
});

export const Content = z.union([z.string().min(1), z.array(ContentPart).min(1)], {
  error: ({ input, errors }) => (Array.isArray(input) && firstWord(errors)) || whole,
});
export type Content = z.infer<typeof Content>;

const whole =
  'content must be a non-empty string or a list of {type:"text",text} and {type:"image",mediaType,data} parts';

/** What is wrong with a list, in one sentence: each alternative has its own list of faults, and lists come second. */
function firstWord(errors: unknown): string | undefined {
  const [, ofList] = z
    .array(z.array(z.looseObject({ path: z.array(z.unknown()), message: z.string() })))
    .safeParse(errors).data ?? [[], []];
  const [fault] = ofList ?? [];
  return fault && fault.path.length > 0 ? `part ${fault.path.join('.')}: ${fault.message}` : undefined;
}

function findFault({ mediaType, data }: { mediaType: string; data: string }): string | undefined {
  const bytes = toByteCount(data);
  if (bytes === undefined) return 'an image is written in base64, with padding and without line breaks';
  if (bytes > largestImage) {
    return `the image has ${toMegabytes(bytes)}; send one of at most ${toMegabytes(largestImage)}`;
  }
  const found = findImageType(data);
  return found === mediaType ? undefined : `this is ${found ?? 'no image we know'}, not ${mediaType}`;
}

/** The words of a message, parts joined by line breaks; an image is only said to be there. */
export function toText(content: Content): string {
  return join(content, () => '[image]');
}

/** The same for a reader: with what is known of each image, such as `[image, 12 kB png]`. */
export function toShown(content: Content): string {
  return join(content, ({ mediaType, data }) => toImageLabel(mediaType, toByteCount(data) ?? 0));
}

function join(content: Content, sayImage: (image: ImagePart) => string): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : sayImage(part))).join('\n');
}
