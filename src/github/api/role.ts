/** Roles in their order; what a command needs is one of the upper ones. */
import type { Role } from './forge.ts';

const order: readonly Role[] = ['none', 'read', 'write', 'maintain', 'admin'];

export function isAtLeast(role: Role, needed: Role): boolean {
  return order.indexOf(role) >= order.indexOf(needed);
}

export function strictest(roles: readonly Role[]): Role {
  return roles.reduce((one, other) => (isAtLeast(one, other) ? one : other), 'none');
}

export function weakest(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? other : one;
}
