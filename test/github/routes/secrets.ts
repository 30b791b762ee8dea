/** Names of secrets; what they hold is told to nobody. */
import { listed, type Routes } from '../route.ts';
import type { State } from '../state.ts';

function named(state: State, names: readonly string[]) {
  const at = new Date(state.now).toISOString();
  return listed(
    names.map((name) => ({ name, created_at: at, updated_at: at })),
    'secrets',
  );
}

export const secretRoutes: Routes = {
  'actions/list-repo-secrets': {
    needs: ['secrets:read', 'administration:write'],
    handle: ({ state }) => named(state, state.settings.secrets),
  },
  'actions/list-repo-organization-secrets': {
    needs: ['secrets:read', 'administration:write'],
    handle: ({ state }) => named(state, state.settings.organizationSecrets),
  },
};
