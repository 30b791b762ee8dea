/** An npm project whose tests need what its lockfile installs. Nothing of it comes from a registry. */
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const devDependencies = { expects: 'file:tools/expects' };
const isAnyKey = '/_KEY$|TOKEN/.test(name) && process.env[name]';

export const npmProject: Readonly<Record<string, string>> = {
  '.gitignore': 'node_modules\n',
  '.npmrc': 'audit=false\nfund=false\noffline=true\n',
  'package.json': json({
    name: 'shop',
    version: '1.0.0',
    private: true,
    type: 'module',
    scripts: { prepare: 'node tools/no-keys.cjs', test: 'expects src' },
    devDependencies,
  }),
  'package-lock.json': json({
    name: 'shop',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'shop', version: '1.0.0', devDependencies },
      'node_modules/expects': { resolved: 'tools/expects', link: true },
      'tools/expects': { version: '1.0.0', dev: true, bin: { expects: 'expects.cjs' } },
    },
  }),
  'src/index.js': 'export const shop = [];\n',
  'tools/no-keys.cjs': `if (Object.keys(process.env).some((name) => ${isAnyKey})) process.exit(7);\n`,
  'tools/expects/package.json': json({ name: 'expects', version: '1.0.0', bin: { expects: 'expects.cjs' } }),
  'tools/expects/expects.cjs': `#!/usr/bin/env node
require('../no-keys.cjs');
process.exit(require('node:fs').existsSync(process.argv[2]) ? 0 : 1);
`,
};
