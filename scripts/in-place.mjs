// For bundles of our sources: what a source reads beside itself is beside the source still.
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const packages = fileURLToPath(new URL('../packages', import.meta.url));

export const inPlace = {
  name: 'in-place',
  transform(code, path) {
    if (!path.startsWith(join(packages, '/'))) return;
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
      .replaceAll('import.meta.filename', JSON.stringify(path));
  },
};
