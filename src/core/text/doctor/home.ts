/** Where gza itself is published. Only this file holds the name; who publishes a copy changes it here. */
export interface Home {
  /** `owner/name`. */
  readonly repository: string;
  readonly ref: string;
}

export const home: Home = { repository: 'gza-dev/gza', ref: 'v1' };

/** For editors: nothing of it is copied into the repository. */
export function schemaUrl(name: 'task' | 'config', { repository, ref }: Home = home): string {
  return `https://raw.githubusercontent.com/${repository}/${ref}/schemas/${name}.schema.json`;
}

/** For people who meet gza in a repository and not in its clone. */
export function docsUrl(page: string, { repository, ref }: Home = home): string {
  return `https://github.com/${repository}/blob/${ref}/docs/${page}`;
}
