/** Its smaller half, which the plugins of Octokit use, brings no types. */
declare module 'bottleneck/light.js' {
  export { default } from 'bottleneck';
}
