/** Where gza itself is published. To publish a fork, change the name here and nowhere else. */
export interface Home {
  /** `owner/name`. */
  readonly repository: string;
  readonly ref: string;
}

export const home: Home = { repository: 'gza-dev/gza', ref: 'v1' };

/** Editors load the schema from here, so the repository needs no copy. */
export function schemaUrl(name: 'task' | 'config', { repository, ref }: Home = home): string {
  return `https://raw.githubusercontent.com/${repository}/${ref}/schemas/${name}.schema.json`;
}

/** Links to the documentation, for people who have no clone of gza. */
export function docsUrl(page: string, { repository, ref }: Home = home): string {
  return `https://github.com/${repository}/blob/${ref}/docs/${page}`;
}
