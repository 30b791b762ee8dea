/** The functions that a file exports, and which of their parameters are text. */
import { readdirSync, readFileSync } from 'node:fs';
import { parseSync, type TsType, type TsTypeAnnotation } from '@swc/core';

export interface ExportedFunction {
  /** `core/promise.ts` */
  readonly file: string;
  readonly name: string;
  readonly isAsync: boolean;
  readonly parameters: readonly Parameter[];
}

export interface Parameter {
  readonly name: string;
  readonly kind: 'text' | 'texts' | 'other';
  readonly isOptional: boolean;
}

const root = `${import.meta.dirname}/../../src`;

export function exportedFunctions(): ExportedFunction[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .flatMap(functionsOf);
}

function functionsOf(file: string): ExportedFunction[] {
  const { body } = parseSync(readFileSync(`${root}/${file}`, 'utf8'), { syntax: 'typescript' });
  return body.flatMap((item) => {
    if (item.type !== 'ExportDeclaration' || item.declaration.type !== 'FunctionDeclaration') return [];
    const { identifier, params, async: isAsync } = item.declaration;
    const parameters = params.map(({ pat }): Parameter => {
      const inner = pat.type === 'AssignmentPattern' ? pat.left : pat;
      return {
        name: inner.type === 'Identifier' ? inner.value : '',
        kind: 'typeAnnotation' in inner ? kindOf(inner.typeAnnotation) : 'other',
        isOptional: pat.type === 'AssignmentPattern' || (inner.type === 'Identifier' && inner.optional),
      };
    });
    return [{ file, name: identifier.value, isAsync, parameters }];
  });
}

function kindOf(type: TsType | TsTypeAnnotation | null | undefined): Parameter['kind'] {
  switch (type?.type) {
    case 'TsTypeAnnotation':
    case 'TsTypeOperator':
      return kindOf(type.typeAnnotation);
    case 'TsKeywordType':
      return type.kind === 'string' ? 'text' : 'other';
    case 'TsUnionType':
      return type.types.map(kindOf).find((kind) => kind !== 'other') ?? 'other';
    case 'TsArrayType':
      return kindOf(type.elemType) === 'text' ? 'texts' : 'other';
    default:
      return 'other';
  }
}
