/** The light build of Bottleneck, which Octokit's plugins use, has no types of its own. */
declare module 'bottleneck/light.js' {
  export { default } from 'bottleneck';
}
