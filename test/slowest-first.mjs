// The order of suites on a machine that has not run them before: what takes long begins first, so that the last
// minute has work for every worker.
const order = ['test/jobs/every-fault', 'test/jobs/', 'test/docs.test', 'test/e2e/', 'test/'];

export default class SlowestFirst {
  sort(tests) {
    const rank = ({ path }) => order.findIndex((part) => path.includes(`/${part}`));
    const size = ({ context, path }) => context.hasteFS.getSize(path) ?? 0;
    return [...tests].sort((a, b) => rank(a) - rank(b) || size(b) - size(a));
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}
