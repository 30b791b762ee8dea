/** The points of a query by Linear's published rule: a property 0.1, an object 1, a connection times what it may hold. */
import { type DocumentNode, Kind, type SelectionSetNode, valueFromASTUntyped } from 'graphql';

export const pointsMax = 10_000;

export function complexity(document: DocumentNode): number {
  return Math.ceil(
    document.definitions.reduce(
      (sum, one) => sum + (one.kind === Kind.OPERATION_DEFINITION ? ofSelection(one.selectionSet) : 0),
      0,
    ),
  );
}

function ofSelection({ selections }: SelectionSetNode): number {
  return selections.reduce((sum, one) => {
    if (one.kind !== Kind.FIELD) throw new Error('only fields are asked for');
    if (!one.selectionSet) return sum + 0.1;
    const isConnection = one.selectionSet.selections.some(
      (inner) => inner.kind === Kind.FIELD && inner.name.value === 'nodes',
    );
    const first = one.arguments?.find(({ name }) => name.value === 'first');
    const times = isConnection ? Number(first ? valueFromASTUntyped(first.value) : 50) : 1;
    return sum + times * (1 + ofSelection(one.selectionSet));
  }, 0);
}
