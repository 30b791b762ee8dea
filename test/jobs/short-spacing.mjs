// Stands in for bottleneck/light.js in the action that tests build: it queues as the real one, without time between.
import Bottleneck from '../../node_modules/bottleneck/light.js';

const { Group } = Bottleneck;

export default class extends Bottleneck {
  static Group = class extends Group {
    constructor(options) {
      super({ ...options, minTime: 0 });
    }
  };
}
