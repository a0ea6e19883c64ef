// What a person sends to an agent: words, and images and files among them.
import { z } from 'zod';
import { toByteCount, toMegabytes } from './base64.ts';
import { findFileType, isFileType, largestFile, pdfType, toFileLabel } from './file.ts';
import { findImageType, imageTypes, largestImage, toImageLabel } from './image.ts';

export const TextPart = z.strictObject({ type: z.literal('text'), text: z.string().min(1) });

export const ImagePart = z
  .strictObject({
    type: z.literal('image'),
    mediaType: z.enum(imageTypes, { error: `an image is ${imageTypes.join(', ')}` }),
    /** Base64, with padding. */
    data: z.string().min(1),
  })
  .superRefine((image, context) => {
    const message = findImageFault(image);
    if (message) context.addIssue({ code: 'custom', path: ['data'], message });
  });
export type ImagePart = z.infer<typeof ImagePart>;

export const FilePart = z
  .strictObject({
    type: z.literal('file'),
    /** What the model knows it by; not a path. */
    name: z
      .string()
      .regex(
        /^[^\p{Cc}\p{Cs}"/\\]{1,200}$/u,
        'use 1 to 200 characters without quotes, slashes or control characters',
      ),
    mediaType: z.string().refine(isFileType, `a file is ${pdfType}, application/json or text/…`),
    /** Base64, with padding; text is UTF-8. */
    data: z.string().min(1, 'the file is empty'),
  })
  .superRefine((file, context) => {
    const message = findFileFault(file);
    if (message) context.addIssue({ code: 'custom', path: ['data'], message });
  });
export type FilePart = z.infer<typeof FilePart>;

const shapes = '{type:"text",text}, {type:"image",mediaType,data} or {type:"file",name,mediaType,data}';

const ContentPart = z.discriminatedUnion('type', [TextPart, ImagePart, FilePart], {
  error: `a part is ${shapes}`,
});
export type ContentPart = z.infer<typeof ContentPart>;

export const Content = z.union([z.string().min(1), z.array(ContentPart).min(1)], {
  error: ({ input, errors }) => (Array.isArray(input) && firstIssue(errors)) || whole,
});
export type Content = z.infer<typeof Content>;

/** As it may be sent: with something in it. A blank part beside others is let through, and no model hears of it. */
export const SentContent = Content.refine(
  (content) => (typeof content === 'string' ? isWords(content) : content.some(isAnything)),
  'content is blank: write something, or attach an image or a file',
);

function isAnything(part: ContentPart): boolean {
  return part.type !== 'text' || isWords(part.text);
}

/** Providers refuse a text of white space alone. */
function isWords(text: string): boolean {
  return /\S/.test(text);
}

const whole = `content must be a non-empty string or a list of parts, each ${shapes}`;

/** What is wrong with a list, in one sentence: each alternative has its own list of faults, and lists come second. */
function firstIssue(errors: unknown): string | undefined {
  const [, ofList] = z
    .array(z.array(z.looseObject({ path: z.array(z.unknown()), message: z.string() })))
    .safeParse(errors).data ?? [[], []];
  const [fault] = ofList ?? [];
  return fault && fault.path.length > 0 ? `part ${fault.path.join('.')}: ${fault.message}` : undefined;
}

function findImageFault({ mediaType, data }: { mediaType: string; data: string }): string | undefined {
  const fault = findSizeFault('an image', data, largestImage);
  if (fault) return fault;
  const found = findImageType(data);
  return found === mediaType ? undefined : `this is ${found ?? 'no image we know'}, not ${mediaType}`;
}

function findFileFault({ mediaType, data }: { mediaType: string; data: string }): string | undefined {
  const fault = findSizeFault('a file', data, largestFile);
  if (fault) return fault;
  const found = findFileType(data);
  if (found === undefined)
    return 'this is neither a PDF nor text in UTF-8; send it as one of these, or an image as an image';
  const isPdf = mediaType === pdfType;
  return (found === pdfType) === isPdf ? undefined : `this is ${found}, not ${mediaType}`;
}

function findSizeFault(what: string, data: string, maxBytes: number): string | undefined {
  const bytes = toByteCount(data);
  if (bytes === undefined) return `${what} is written in base64, with padding and without line breaks`;
  if (bytes <= maxBytes) return undefined;
  const it = what.replace(/^an? /, 'the ');
  return `${it} has ${toMegabytes(bytes)}; send one of at most ${toMegabytes(maxBytes)}`;
}

/** The words of a message, parts joined by line breaks; an image or file is only said to be there. */
export function toText(content: Content): string {
  return join(content, (part) => (part.type === 'image' ? '[image]' : `[file ${part.name}]`));
}

/** The same for a reader: with what is known of each, such as `[image, 12 kB png]`. */
export function toShown(content: Content): string {
  return join(content, (part) =>
    part.type === 'file' ? toFileLabel(part) : toImageLabel(part.mediaType, toByteCount(part.data) ?? 0),
  );
}

function join(content: Content, format: (part: ImagePart | FilePart) => string): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : format(part))).join('\n');
}
